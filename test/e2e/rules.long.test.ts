// Debian's promtool, of Prometheus 2, reads the rules too: as long again.

import { promtoolSuite } from '../rules/promtool-suite.ts';

promtoolSuite('promtool', 'Debian');
