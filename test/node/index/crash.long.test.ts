// 36 kills. There are three kinds of moments: the process starts, on nothing or on what a kill has left; a chain bootstraps; all of
// them accept. Within each a batch of the store is written whole or not at all, so each kind is met a dozen times, and four sixths of
// the bootstrapping by three data dirs each, at other moments in every run.

import { crashSuite } from './crash-suite.ts';

crashSuite({ bootstrapping: 6, accepting: 6 });
