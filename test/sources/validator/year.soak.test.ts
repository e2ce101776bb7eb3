// A year in steps of three hours, with another seed each time.

import { randomInt } from 'node:crypto';
import { yearSuite } from './year-suite.ts';

yearSuite('promtool3', Number(process.env.SNOWGAUGE_PROPERTY_SEED ?? randomInt(1_000_000)), 3 * 3600);
