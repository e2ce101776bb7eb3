// The situations that rules.test.ts leaves out, and all of it to Debian's promtool, of Prometheus 2.

import { casesSuite, otherSituations, situationsSuite, someSituations } from '../rules/promtool-suite.ts';

situationsSuite('promtool3', otherSituations);
casesSuite('promtool');
situationsSuite('promtool', [...someSituations, ...otherSituations]);
