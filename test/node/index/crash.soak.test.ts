import { crashSuite } from './crash-suite.ts';

crashSuite({ bootstrapping: 28, accepting: 40 });
