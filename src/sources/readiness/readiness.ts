// GET /ext/health/readiness.

import type { Answer } from '../../client/client.ts';
import type { HealthReport } from '../../protocol/health.ts';
import type { Observed } from '../../snapshot/observed.ts';
import { type ReportStatus, reportFact, reportStatus } from '../observed-status.ts';
import { reportSource } from '../report-source.ts';
import type { Source } from '../source.ts';

export interface ReadinessStatus {
  readonly readiness: ReportStatus;
}

const asked = reportSource('readiness', {
  name: 'snowgauge_readiness_healthy',
  help: '1 if the node has finished initializing. Latched by the node.',
  source: 'healthy of GET /ext/health/readiness',
  nodeMetric: 'avalanche_health_checks_failing{check="readiness"}',
});

export const readiness: Source<Observed<HealthReport>, Answer<HealthReport>, object, ReadinessStatus> = {
  ...asked,
  status: (state, context) => ({ readiness: reportStatus(state, context) }),
  facts: (status) => [reportFact('Node readiness', status.readiness, { yes: 'ready', no: 'not ready' })],
};
