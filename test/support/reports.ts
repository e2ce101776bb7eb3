// JSON -> the report that the exporter would know, by the parser that the client uses.

import { type HealthReport, healthReport } from '../../src/protocol/health.ts';

/** Throws where the protocol would refuse it. */
export const parseHealthReport = (json: unknown): HealthReport => healthReport.parse(json);
