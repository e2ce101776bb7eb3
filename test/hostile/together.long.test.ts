// The hostile nodes that nodes.test.ts leaves out.

import { otherGroups, togetherSuite } from './together-suite.ts';

togetherSuite(otherGroups);
