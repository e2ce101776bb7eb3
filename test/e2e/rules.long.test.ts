// The cases and situations that rules.test.ts leaves out. Debian's promtool, of Prometheus 2, is asked for a case of each alert and a few
// situations: each takes a second of a processor or more, and the others hold the same expressions.

import {
  casesSuite,
  firingCases,
  otherCases,
  otherSituations,
  situationsSuite,
  someSituations,
} from '../rules/promtool-suite.ts';

casesSuite('promtool3', otherCases);
situationsSuite('promtool3', otherSituations);
casesSuite('promtool', firingCases);
situationsSuite('promtool', someSituations);
