// What property tests draw is the same in every run, so that none fails for a case that nobody's change is about. Another number
// draws others: what one of them finds becomes an example.

import fc from 'fast-check';

fc.configureGlobal({ seed: Number(process.env.SNOWGAUGE_PROPERTY_SEED ?? 1) });
