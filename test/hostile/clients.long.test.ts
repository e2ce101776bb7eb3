// An exporter under hostile clients, over HTTP and over TLS: nobody starves.

import { overHttp, overTls, testHostileClients } from './clients-suite.ts';

testHostileClients('one kind of hostile clients after the other', { rows: overHttp });
testHostileClients('one kind after the other over TLS', { rows: overTls, isOverTls: true });
