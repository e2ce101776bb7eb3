// GET /ext/health/readiness.

import { reportSource } from '../report-source.ts';

export const readiness = reportSource(
  'readiness',
  {
    name: 'snowgauge_readiness_healthy',
    help: '1 if the node has finished initializing. Latched by the node.',
    source: 'healthy of GET /ext/health/readiness',
    nodeMetric: 'avalanche_health_checks_failing{check="readiness"}',
  },
  { name: 'Node readiness', yes: 'ready', no: 'not ready' },
);
