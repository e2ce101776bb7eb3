// An exporter beside each hostile node on a machine that does nothing else: its probes and polls are as fast as they are aimed to be.

import { testHostileNodes } from './nodes-suite.ts';

testHostileNodes(true);
