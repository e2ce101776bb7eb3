// 36 kills. There are three kinds of moments: the process starts, on a new data dir or on one that a kill has left; a chain
// bootstraps; all chains accept. In each of them a batch of the store is written whole or not at all, so a dozen kills per kind are
// enough. The moments differ in every run.

import { crashSuite } from './crash-suite.ts';

crashSuite({ bootstrapping: 6, accepting: 6 });
