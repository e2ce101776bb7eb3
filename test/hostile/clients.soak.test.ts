// An exporter under hostile clients on a machine that does nothing else: its probes and polls are as fast as they are aimed to be.

import { overHttp, overTls, testHostileClients } from './clients-suite.ts';

// Hundreds that connect anew for each probe stand before the kubelet in the kernel's queue: of those the long form asks only that none starves.
const aimed = overHttp.filter(([kind, , at]) => !(kind === 'fresh' && at === 'probes'));

testHostileClients('one kind of hostile clients after the other, on time', { rows: aimed, holdsAims: true });
testHostileClients('one kind after the other over TLS, on time', { rows: overTls, isOverTls: true, holdsAims: true });
