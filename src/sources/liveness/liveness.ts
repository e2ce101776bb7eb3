// GET /ext/health/liveness.

import type { Answer } from '../../client/client.ts';
import type { HealthReport } from '../../protocol/health.ts';
import type { Observed } from '../../snapshot/observed.ts';
import { type ReportStatus, reportFact, reportStatus } from '../observed-status.ts';
import { reportSource } from '../report-source.ts';
import type { Source } from '../source.ts';

export interface LivenessStatus {
  readonly liveness: ReportStatus;
}

const asked = reportSource('liveness', {
  name: 'snowgauge_liveness_healthy',
  help: '1 if the node can handle requests.',
  source: 'healthy of GET /ext/health/liveness',
  nodeMetric: 'avalanche_health_checks_failing{check="liveness"}',
});

export const liveness: Source<Observed<HealthReport>, Answer<HealthReport>, object, LivenessStatus> = {
  ...asked,
  status: (state, context) => ({ liveness: reportStatus(state, context) }),
  facts: (status) => [reportFact('Node liveness', status.liveness, { yes: 'alive', no: 'not alive' })],
};
