// Half an hour of hostile nodes, configurations and clients. SNOWGAUGE_FUZZ_SHARE=0.1: a tenth of it.

import { fuzzSuite } from './suite.ts';

fuzzSuite(Number(process.env.SNOWGAUGE_FUZZ_SHARE ?? 1));
