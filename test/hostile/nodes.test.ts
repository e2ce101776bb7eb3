// Five hostile nodes together; together.long.test.ts has the others.

import { someGroups, togetherSuite } from './together-suite.ts';

togetherSuite(someGroups);
