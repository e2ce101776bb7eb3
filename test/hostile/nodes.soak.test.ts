// An exporter with each hostile node on an otherwise idle machine: probes and polls meet their latency aims.

import { testHostileNodes } from './nodes-suite.ts';

testHostileNodes(true);
