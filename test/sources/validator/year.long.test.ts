// A year in steps of six hours. year.soak.test.ts uses random seeds and shorter steps.

import { yearSuite } from './year-suite.ts';

yearSuite('promtool3', Number(process.env.SNOWGAUGE_PROPERTY_SEED ?? 1), 6 * 3600);
