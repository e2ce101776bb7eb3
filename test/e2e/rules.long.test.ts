// The cases and situations that rules.test.ts leaves out. Debian's promtool, of Prometheus 2, is asked for a few: each takes seconds of
// a processor, and the others hold the same expressions.

import { casesSuite, otherCases, otherSituations, situationsSuite, someCases, someSituations } from '../rules/promtool-suite.ts';

casesSuite('promtool3', otherCases);
situationsSuite('promtool3', otherSituations);
casesSuite('promtool', someCases);
situationsSuite('promtool', someSituations);
