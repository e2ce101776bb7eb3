// A tenth of the soak, which takes three minutes.

import { fuzzSuite } from './suite.ts';

fuzzSuite(0.1);
