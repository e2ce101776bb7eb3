// An exporter under hostile clients, over HTTP and over TLS: other clients and polls do not starve.

import { overHttp, overTls, testHostileClients } from './clients-suite.ts';

testHostileClients('other clients and polls do not starve under hostile clients over HTTP', { rows: overHttp });
testHostileClients('other clients and polls do not starve under hostile clients over TLS', { rows: overTls, isOverTls: true });
