// The current promtool reads the rules.

import { promtoolSuite } from '../rules/promtool-suite.ts';

promtoolSuite('promtool3', 'Prometheus 3');
