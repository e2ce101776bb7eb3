// The cases and situations that rules.test.ts leaves out. Debian's promtool, of Prometheus 2, runs one case per alert and a few
// situations: each takes at least a second of CPU, and the others have the same expressions.

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
