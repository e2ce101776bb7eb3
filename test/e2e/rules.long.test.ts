// The cases and situations that rules.test.ts leaves out, and all of them to Debian's promtool, of Prometheus 2.

import { casesSuite, otherCases, otherSituations, situationsSuite, someCases, someSituations } from '../rules/promtool-suite.ts';

casesSuite('promtool3', otherCases);
situationsSuite('promtool3', otherSituations);
casesSuite('promtool', [...someCases, ...otherCases]);
situationsSuite('promtool', [...someSituations, ...otherSituations]);
