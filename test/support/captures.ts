// Answers of a real node, request by request: test/fixtures/captures/<state of the node>/<number>-<request>.json.

import { readdirSync, readFileSync } from 'node:fs';
import * as z from 'zod/mini';

const capture = z.object({
  request: z.object({ method: z.string(), path: z.string() }),
  response: z.object({ status: z.number(), body: z.string() }),
});

export interface CapturedReport {
  /** As in `healthy/001-get-health.json`. */
  readonly name: string;
  /** The report as JSON.parse gives it, out of its JSON-RPC envelope where it had one. */
  readonly report: { readonly checks: Readonly<Record<string, unknown>>; readonly healthy: boolean };
  /** The answer as it came. */
  readonly status: number;
  readonly body: string;
  readonly isRpc: boolean;
}

const folder = new URL('../fixtures/captures/', import.meta.url);

const report = z.object({ checks: z.record(z.string(), z.unknown()), healthy: z.boolean() });
const answer = z.union([
  report,
  z.pipe(
    z.object({ result: report }),
    z.transform(({ result }) => result),
  ),
]);

const parsed = (body: string): unknown => {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
};

/** Not by the method: paths of the GETs answer a POST with the report alone. */
const isEnvelope = (body: string): boolean => z.object({ jsonrpc: z.string() }).safeParse(parsed(body)).success;

/** Every health report among the captures, of whatever request. */
export const capturedReports = (): readonly CapturedReport[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.json'))
    .sort()
    .flatMap((name) => {
      const { response } = capture.parse(JSON.parse(readFileSync(new URL(name, folder), 'utf8')));
      const found = answer.safeParse(parsed(response.body));
      return found.success ? [{ name, report: found.data, ...response, isRpc: isEnvelope(response.body) }] : [];
    });
