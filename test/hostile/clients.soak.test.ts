// An exporter under hostile clients on an otherwise idle machine: probes, scrapes and polls meet their latency aims.

import { overHttp, overTls, testHostileClients } from './clients-suite.ts';

testHostileClients('probes, scrapes and polls meet their aims under hostile clients over HTTP', {
  rows: overHttp,
  holdsAims: true,
});
testHostileClients('probes, scrapes and polls meet their aims under hostile clients over TLS', {
  rows: overTls,
  isOverTls: true,
  holdsAims: true,
});
