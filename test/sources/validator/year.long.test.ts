// A year in seconds. year.soak.test.ts is another one, by shorter steps.

import { yearSuite } from './year-suite.ts';

yearSuite('promtool3', Number(process.env.SNOWGAUGE_PROPERTY_SEED ?? 1), 6 * 3600);
