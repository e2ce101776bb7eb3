// A twentieth of what soaks, at another seed each time.

import { fuzzSuite } from './suite.ts';

fuzzSuite(0.05);
