// The current promtool reads the rules: every case of every alert, and some situations. rules.long.test.ts has the others.

import { casesSuite, situationsSuite, someSituations } from '../rules/promtool-suite.ts';

casesSuite('promtool3');
situationsSuite('promtool3', someSituations);
