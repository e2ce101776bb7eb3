// A tenth of what soaks, which is three minutes.

import { fuzzSuite } from './suite.ts';

fuzzSuite(0.1);
