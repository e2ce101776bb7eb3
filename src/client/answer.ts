// The bytes of an answer -> an Outcome. Parsed here, trusted from here on.

import { isAscii } from 'node:buffer';
import * as z from 'zod/mini';
import { notBootstrappedText } from '../protocol/platform.ts';
import { requestId, rpcResponse } from '../protocol/rpc.ts';
import type { Exchange } from './ask.ts';
import { sentence } from './faults.ts';
import type { Outcome } from './outcome.ts';

/** How to read a JSON value: the value, a reason that names the place and holds nothing of the body but names, or too many rows. */
export type Read<T> = (json: unknown) => Extract<Outcome<T>, { readonly kind: 'ok' | 'malformed' | 'too-large' }>;

/** Longest message of a JSON-RPC error that is kept. */
const messageLength = 500;

/** 200 and 503 are both a report. */
export const isHealthAnswer = (status: number): boolean => status === 200 || status === 503;

/** Errors of JSON-RPC are 200 as well. */
export const isRpcAnswer = (status: number): boolean => status === 200;

/** In two steps: of a large answer each has a turn of the event loop. */
export interface Reader<T> {
  readonly parse: (exchange: Exchange) => Outcome<unknown>;
  /** Of a value that was parsed. */
  readonly understand: (json: unknown) => Outcome<T>;
}

/** A health report as a GET gives it: the body itself. */
export const readGet = <T>(read: Read<T>): Reader<T> => ({
  parse: (exchange) => jsonOf(exchange, isHealthAnswer),
  understand: read,
});

/** A method's result, out of the envelope. An answer without an id is taken for that to the request. */
export const readRpc = <T>(read: Read<T>): Reader<T> => ({
  parse: (exchange) => jsonOf(exchange, isRpcAnswer),
  understand: (json) => {
    const envelope = rpcResponse.safeParse(json);
    if (!envelope.success) return { kind: 'malformed', reason: reasonOf(envelope.error) };
    const { error, result, id } = envelope.data;
    if (id !== undefined && id !== null && id !== requestId)
      return { kind: 'malformed', reason: `id: must be ${requestId}, as in the request` };
    if (error !== undefined && error !== null)
      return { kind: 'rpc-error', code: error.code, message: sentence(error.message, messageLength) };
    return read(result);
  },
});

export const bySchema =
  <S extends z.core.$ZodType>(schema: S): Read<z.output<S>> =>
  (json) => {
    const parsed = z.safeParse(schema, json);
    if (parsed.success) return { kind: 'ok', value: parsed.data };
    const [issue] = parsed.error.issues;
    if (issue?.code === 'too_big' && issue.origin === 'array')
      return { kind: 'too-large', bound: 'rows', limit: Number(issue.maximum) };
    return { kind: 'malformed', reason: reasonOf(parsed.error) };
  };

const jsonOf = ({ head, end }: Exchange, isAnswer: (status: number) => boolean): Outcome<unknown> => {
  if (!Buffer.isBuffer(end)) return end;
  const status = head?.status ?? 0;
  if (status === 403 && end.toString('latin1').trim() === 'invalid host specified') return { kind: 'host-forbidden' };
  if (!isAnswer(status)) {
    if (status === 503 && end.toString('latin1', 0, 1000).includes(notBootstrappedText))
      return { kind: 'http-status', status, isBootstrapping: true };
    return { kind: 'http-status', status, ...(status === 400 && wantsTls(end) && { speaks: 'https' }) };
  }
  // A node answers so when a check's details cannot be encoded, and to a request without an id.
  if (end.length === 0) return { kind: 'not-json', reason: `empty body, status ${status}` };
  try {
    return { kind: 'ok', value: JSON.parse(textOf(end)) };
  } catch {
    // V8's message quotes the body, which may be anything.
    return { kind: 'not-json', reason: `${end.length} bytes, status ${status}` };
  }
};

/** Nearly always ASCII, which takes a fiftieth of the time: of 4 MB 0.3 ms for 14. */
const textOf = (body: Buffer): string => body.toString(isAscii(body) ? 'latin1' : 'utf8');

/** In the words of Go, and of nginx. */
const wantsTls = (body: Buffer): boolean =>
  /HTTP request (?:to an|was sent to) HTTPS (?:server|port)/.test(body.toString('latin1', 0, 1000));

const reasonOf = (error: z.core.$ZodError): string => {
  const issue = deepest(error.issues[0]);
  if (issue === undefined) return 'not what was asked for';
  const path = issue.path.map(String).join('.');
  return sentence(`${path === '' ? 'the answer' : path}: ${wanted(issue)}`);
};

/** Of a union's issues the one that got furthest: it names the place. */
const deepest = (issue: z.core.$ZodIssue | undefined): z.core.$ZodIssue | undefined => {
  if (issue?.code !== 'invalid_union') return issue;
  const inner = issue.errors
    .flatMap((issues) => issues.slice(0, 1))
    .map((one) => ({ ...one, path: [...issue.path, ...one.path] }));
  return inner.reduce<z.core.$ZodIssue>((best, one) => (one.path.length > best.path.length ? one : best), issue);
};

const wanted = (issue: z.core.$ZodIssue): string => {
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${/^[aeiou]/.test(issue.expected) ? 'an' : 'a'} ${issue.expected}`;
    case 'invalid_value':
      return `must be ${issue.values.map((value) => JSON.stringify(value)).join(' or ')}`;
    case 'custom':
      return issue.message;
    default:
      return 'is not what the interface says';
  }
};
