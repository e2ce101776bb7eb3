// Compares a response of the embedded node with that of a real node.

import { readdirSync, readFileSync } from 'node:fs';
import * as z from 'zod/mini';
import { headerOf, type RawAnswer, type RawRequest } from './raw-http.ts';

export interface Capture {
  /** Such as `healthy/001-get-health.json`. */
  readonly name: string;
  readonly request: RawRequest;
  readonly answer: RawAnswer;
}

const captureFile = z.object({
  request: z.object({
    method: z.string(),
    path: z.string(),
    headers: z.record(z.string(), z.nullable(z.string())),
    body: z.nullable(z.string()),
  }),
  response: z.object({ status: z.number(), headers: z.array(z.tuple([z.string(), z.string()])), body: z.string() }),
});

const folder = new URL('../fixtures/captures/', import.meta.url);

/** Every request to a real node in this state, and its response. */
export const capturesOf = (state: string): readonly Capture[] =>
  readdirSync(new URL(`${state}/`, folder))
    .filter((file) => file.endsWith('.json'))
    .sort()
    .map((file) => {
      const parsed = captureFile.parse(JSON.parse(readFileSync(new URL(`${state}/${file}`, folder), 'utf8')));
      return { name: `${state}/${file}`, request: parsed.request, answer: parsed.response };
    });

/** Values that differ from run to run on any node: only their type is compared. */
const volatile: ReadonlySet<string> = new Set([
  'timestamp',
  'timeOfFirstFailure',
  'duration',
  'availableDiskBytes',
  'availableDiskPercentage',
  'lastAcceptedID',
  'id',
  'bytes',
  'nodeID',
  'publicKey',
  'proofOfPossession',
  'ip',
  'publicIP',
  'lastSent',
  'lastReceived',
  'txID',
  'startTime',
  'endTime',
  'weight',
  'addresses',
  'potentialReward',
  'delegationFee',
  'uptime',
  'delegatorCount',
  'delegatorWeight',
  'supply',
  'controlKeys',
]);

/** Values that depend on the run. The top-level `id` is the client's own and is compared. */
const isVolatile = (path: readonly string[], real: unknown): boolean => {
  const name = path.findLast((step) => !/^\d+$/.test(step)) ?? '';
  // Never run and zero duration must match exactly.
  if (real === '0001-01-01T00:00:00Z' || real === 0) return false;
  return volatile.has(name) && !(name === 'id' && path.length === 1) && !path.includes('data');
};

/** The differences, one per line; empty if there are none. */
export const disagreements = ({ answer: real }: Capture, ours: RawAnswer): readonly string[] => [
  ...(real.status === ours.status ? [] : [`status ${ours.status}, not ${real.status}`]),
  ...headerDisagreements(real, ours),
  ...bodyDisagreements(real.body, ours.body),
];

/** Headers of the connection instead of the response. */
const ofTheConnection: ReadonlySet<string> = new Set(['date', 'connection', 'keep-alive']);
const framing: ReadonlySet<string> = new Set(['content-length', 'transfer-encoding']);

const headerDisagreements = (real: RawAnswer, ours: RawAnswer): readonly string[] => {
  const said = (answer: RawAnswer): string =>
    answer.headers
      .filter(([name]) => !ofTheConnection.has(name.toLowerCase()) && !framing.has(name.toLowerCase()))
      // Only the presence of the node's id is compared; header names are compared with case and order.
      .map(([name, value]) => `${name}: ${name === 'Node-Id' ? value.slice(0, 'NodeID-'.length) : value}`)
      .join(' | ');
  const headers = said(real) === said(ours) ? [] : [`headers ${said(ours)}, not ${said(real)}`];
  return [...headers, ...framingDisagreements(real, ours)];
};

/** Go sets Content-Length up to this many bytes. The length depends on ids and durations, so each response follows its own. */
const bufferBytes = 2048;

const framingDisagreements = (real: RawAnswer, ours: RawAnswer): readonly string[] => {
  const framed = (answer: RawAnswer): string => [...framing].filter((name) => headerOf(answer, name) !== undefined).join(' and ');
  const byLength = ours.body.length <= bufferBytes ? 'content-length' : 'transfer-encoding';
  const expected = framed(real) === '' ? '' : byLength;
  return framed(ours) === expected ? [] : [`framed by ${framed(ours)}, not ${expected}`];
};

const bodyDisagreements = (real: string, ours: string): readonly string[] => {
  const [realValue, oursValue] = [parsed(real), parsed(ours)];
  if (realValue === undefined || oursValue === undefined) return real === ours ? [] : [`body ${ours}, not ${real}`];
  const newline = real.endsWith('\n') === ours.endsWith('\n') ? [] : ['the newline at the end'];
  return [...newline, ...valueDisagreements([], realValue, oursValue)];
};

const parsed = (body: string): unknown => {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
};

const kindOf = (value: unknown): string => (Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value);

const valueDisagreements = (path: readonly string[], real: unknown, ours: unknown): readonly string[] => {
  const at = `$.${path.join('.')}`;
  if (kindOf(real) !== kindOf(ours)) return [`${at} is ${JSON.stringify(ours)}, not ${JSON.stringify(real)}`];
  if (typeof real !== 'object' || real === null || typeof ours !== 'object' || ours === null)
    return real === ours || isVolatile(path, real) ? [] : [`${at} is ${JSON.stringify(ours)}, not ${JSON.stringify(real)}`];
  const [realKeys, oursKeys] = [Object.keys(real), Object.keys(ours)];
  // In order: Go sorts the keys of a map.
  if (realKeys.join() !== oursKeys.join()) return [`${at} has ${oursKeys.join()}, not ${realKeys.join()}`];
  const oursByKey = new Map<string, unknown>(Object.entries(ours));
  return Object.entries(real).flatMap(([key, value]) => valueDisagreements([...path, key], value, oursByKey.get(key)));
};
