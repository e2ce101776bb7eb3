// An exporter under hostile clients on a machine that does nothing else: its probes and polls are as fast as they are aimed to be.

import { overHttp, overTls, testHostileClients } from './clients-suite.ts';

testHostileClients('one kind of hostile clients after the other, on time', { rows: overHttp, holdsAims: true });
testHostileClients('one kind after the other over TLS, on time', { rows: overTls, isOverTls: true, holdsAims: true });
