// An exporter with each hostile node: probes and other nodes do not starve, and its memory is bounded.

import { testHostileNodes } from './nodes-suite.ts';

testHostileNodes();
