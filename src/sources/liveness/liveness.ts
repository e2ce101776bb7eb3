// GET /ext/health/liveness.

import { reportSource } from '../report-source.ts';

export const liveness = reportSource(
  'liveness',
  {
    name: 'snowgauge_liveness_healthy',
    help: '1 if the node can handle requests.',
    source: 'healthy of GET /ext/health/liveness',
    nodeMetric: 'avalanche_health_checks_failing{check="liveness"}',
  },
  { name: 'Node liveness', yes: 'alive', no: 'not alive' },
);
