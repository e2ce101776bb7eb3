// Responses of a real node: test/fixtures/captures/<state of the node>/<number>-<request>.json.

import { readdirSync, readFileSync } from 'node:fs';
import * as z from 'zod/mini';

const capture = z.object({
  request: z.object({ method: z.string(), path: z.string() }),
  response: z.object({ status: z.number(), body: z.string() }),
});

export interface CapturedReport {
  /** Such as `healthy/001-get-health.json`. */
  readonly name: string;
  /** The report parsed by JSON.parse, without its JSON-RPC envelope if it had one. */
  readonly report: { readonly checks: Readonly<Record<string, unknown>>; readonly healthy: boolean };
  /** The original status. */
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

/** Not determined by the method: GET paths answer a POST with the plain report. */
const isEnvelope = (body: string): boolean => z.object({ jsonrpc: z.string() }).safeParse(parsed(body)).success;

/** All health reports among the captures, of any request. */
export const capturedReports = (): readonly CapturedReport[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.json'))
    .sort()
    .flatMap((name) => {
      const { response } = capture.parse(JSON.parse(readFileSync(new URL(name, folder), 'utf8')));
      const found = answer.safeParse(parsed(response.body));
      return found.success ? [{ name, report: found.data, ...response, isRpc: isEnvelope(response.body) }] : [];
    });
