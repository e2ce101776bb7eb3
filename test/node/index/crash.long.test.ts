// 72 kills. There are three kinds of moments: the process starts, on nothing or on what a kill has left; a chain bootstraps; all of
// them accept. Within each a batch of the store is written whole or not at all, so each kind is met a dozen times and more, and each
// eighth of the bootstrapping by four data dirs, at other moments in every run.

import { crashSuite } from './crash-suite.ts';

crashSuite({ bootstrapping: 8, accepting: 10 });
