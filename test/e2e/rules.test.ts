// Tests the rules with the current promtool: cases of every alert, and some situations. rules.long.test.ts has the others.

import { casesSuite, situationsSuite, someCases, someSituations } from '../rules/promtool-suite.ts';

casesSuite('promtool3', someCases);
situationsSuite('promtool3', someSituations);
