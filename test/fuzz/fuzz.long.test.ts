// A fortieth of what soaks, which is a minute.

import { fuzzSuite } from './suite.ts';

fuzzSuite(0.025);
