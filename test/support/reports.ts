// Parses JSON to the report of the exporter, with the client's parser.

import { type HealthReport, healthReport } from '../../src/protocol/health.ts';

/** Throws if the protocol rejects it. */
export const parseHealthReport = (json: unknown): HealthReport => healthReport.parse(json);
