// A fixed seed for property tests, so that none fails for reasons unrelated to a change. Try other seeds by hand, and turn a
// failure into an example.

import fc from 'fast-check';

fc.configureGlobal({ seed: Number(process.env.SNOWGAUGE_PROPERTY_SEED ?? 1) });
