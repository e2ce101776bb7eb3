// An exporter beside each hostile node: nobody starves, and its memory is bounded.

import { testHostileNodes } from './nodes-suite.ts';

testHostileNodes();
