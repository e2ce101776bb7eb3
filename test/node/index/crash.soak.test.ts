// Two hundred kills.

import { crashSuite } from './crash-suite.ts';

crashSuite({ bootstrapping: 20, accepting: 30 });
