// /api/v1/maintenance: lists, starts and ends maintenance windows.

import * as z from 'zod/mini';
import type { Targets } from '../conditions/condition.ts';
import { longestReason, longestWindow, type MaintenanceWindow, maxWindows } from '../maintenance/window.ts';
import type { MaintenanceWindows } from '../maintenance/windows.ts';
import { parseGoDurationSeconds } from '../protocol/duration.ts';
import { isoOf, parsedJson, printable, quoted } from '../text.ts';
import { jsonError, jsonReply, type Reply } from './reply.ts';
import { refusalOf, type Sender, type TokenRead } from './sender.ts';
import { type FleetShards, missingTarget } from './shards.ts';

export interface MaintenanceInputs {
  readonly windows: Pick<MaintenanceWindows, 'list' | 'hasRoom' | 'start' | 'end'>;
  /** The token that allows changes; undefined: only the loopback may change them. */
  readonly token: () => TokenRead | undefined;
}

export const maintenanceMethods = ['GET', 'HEAD', 'PUT', 'DELETE'];

const maxBodyBytes = 4096;

interface Asked {
  /** One of `maintenanceMethods`. */
  readonly method: string;
  /** The query string. */
  readonly query: string;
  readonly sender: Sender;
  readonly targets: Targets;
  /** Absent: this process watches all targets. */
  readonly shards: FleetShards | undefined;
}

export const maintenanceAnswer = async (
  { windows, token }: MaintenanceInputs,
  { method, query, sender, targets, shards }: Asked,
): Promise<Reply> => {
  const listed = (): object => ({ windows: windows.list().map(windowJson) });
  if (method === 'GET' || method === 'HEAD') return jsonReply(200, listed());
  const refusal = refusalOf(sender, token());
  if (refusal !== undefined) return jsonError(403, refusal);
  const params = new URLSearchParams(query);
  const fault = queryFault(method, params);
  if (fault !== undefined) return jsonError(400, fault);
  if (method === 'DELETE') {
    const target = params.get('target') ?? undefined;
    const { ended, saved } = await windows.end(target);
    // Windows can also be ended if the target has moved to another shard, or was removed.
    if (ended.length === 0 && target !== undefined && !targets.has(target))
      return jsonError(400, missingTarget(target, targets, shards));
    return jsonReply(200, { ended: ended.map(windowJson), saved, ...listed() });
  }
  // A web page's form cannot send this content type.
  if (!/^application\/json *(?:;|$)/i.test(sender.headers['content-type'] ?? ''))
    return jsonError(415, 'send JSON with Content-Type: application/json');
  const body = await sender.body(maxBodyBytes);
  if (body === undefined) return jsonError(413, `the body is larger than ${maxBodyBytes} bytes, or incomplete`);
  const given = readBody(body, targets, shards);
  if ('error' in given) return jsonError(400, given.error);
  if (!windows.hasRoom(given.target)) return jsonError(409, `there are ${maxWindows} windows, the maximum: end some first`);
  const { window, saved } = await windows.start(given);
  const isOfShard = given.target === undefined && shards !== undefined && shards.total !== 1;
  const note = isOfShard ? `holds on shard ${shards.shard} only: start one on each shard, or set maintenance.windows` : undefined;
  return jsonReply(200, { window: windowJson(window), saved, note });
};

/** Unknown parameters are rejected: ignoring a misspelt one would affect all targets. */
const queryFault = (method: string, params: URLSearchParams): string | undefined => {
  const known = method === 'DELETE' ? ['target'] : [];
  const other = [...params.keys()].find((name) => !known.includes(name));
  const expected = method === 'DELETE' ? 'expected target' : 'send it in the body';
  if (other !== undefined) return `unknown parameter ${quoted(other)}: ${expected}`;
  return params.size > 1 ? 'target is given more than once' : undefined;
};

const windowJson = ({ targets, start, end, reason, source }: MaintenanceWindow): object => ({
  ...(targets !== undefined && { targets }),
  start: isoOf(start),
  end: isoOf(end),
  reason,
  source,
});

const shape = z.strictObject({ target: z.exactOptional(z.string()), for: z.string(), reason: z.string() });

const readBody = (
  body: string,
  targets: Targets,
  shards: FleetShards | undefined,
): { readonly target?: string; readonly seconds: number; readonly reason: string } | { readonly error: string } => {
  const read = shape.safeParse(parsedJson(body));
  if (!read.success) return { error: 'send {"for": "2h", "reason": "…"}, and "target" for only one target' };
  const { target, for: duration, reason } = read.data;
  // This cuts nothing off, because a body is not longer.
  const text = printable(reason, maxBodyBytes);
  const seconds = parseGoDurationSeconds(duration) ?? 0;
  const problems = [
    ...(target === undefined || targets.has(target) ? [] : [missingTarget(target, targets, shards)]),
    ...(seconds >= 1 && seconds <= longestWindow
      ? []
      : [`for ${quoted(duration)} must be a duration from 1s to 24h, such as 2h`]),
    ...(text === '' ? ['reason is empty: say why'] : []),
    ...(text.length > longestReason ? [`reason is longer than ${longestReason} characters (a line break is two)`] : []),
  ];
  if (problems.length > 0) return { error: problems.join('; ') };
  return { ...(target !== undefined && { target }), seconds, reason: text };
};
