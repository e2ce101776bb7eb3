// A health report out of a file: as a GET gives it, or in the envelope of JSON-RPC.

import { type HealthReport, healthReport } from '../protocol/health.ts';
import { rpcResponse } from '../protocol/rpc.ts';
import { printable } from '../text.ts';

export type Saved =
  | { readonly kind: 'ok'; readonly report: HealthReport }
  | { readonly kind: 'no-report'; readonly message: string };

const noReport = (message: string): Saved => ({ kind: 'no-report', message });

export const readSaved = (text: string): Saved => {
  const body = text.replace(/^\uFEFF/, '');
  if (body.trim() === '') return noReport('it is empty, as the answer of a node with a check result that cannot be encoded');
  let json: unknown;
  try {
    json = JSON.parse(body);
  } catch {
    return noReport('it is not JSON');
  }
  return isEnvelope(json) ? unwrapped(json) : reportOf(json);
};

const isEnvelope = (json: unknown): boolean =>
  typeof json === 'object' && json !== null && Object.hasOwn(json, 'jsonrpc') && !Object.hasOwn(json, 'checks');

const unwrapped = (json: unknown): Saved => {
  const envelope = rpcResponse.safeParse(json);
  if (!envelope.success) return noReport('its JSON-RPC envelope is not one');
  const { error, result } = envelope.data;
  if (error !== undefined && error !== null) return noReport(`it is JSON-RPC error ${error.code}: ${printable(error.message)}`);
  return reportOf(result);
};

const reportOf = (json: unknown): Saved => {
  const parsed = healthReport.safeParse(json);
  if (parsed.success) return { kind: 'ok', report: parsed.data };
  const [issue] = parsed.error.issues;
  const place = issue === undefined || issue.path.length === 0 ? '' : `${issue.path.map(String).join('.')}: `;
  return noReport(printable(`it is not a health report: ${place}${issue?.message ?? 'of another shape'}`));
};
