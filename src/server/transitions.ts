// /api/v1/history: the event history in memory, with cursors to continue reading.

import type { EventHistoryReader } from '../events/event-history.ts';
import { jsonOf } from '../events/json.ts';
import { recordLimits } from '../events/record.ts';
import type { Query } from '../events/ring.ts';
import { parseInstant } from '../protocol/time.ts';
import { quoted, shortened, unknownName } from '../text.ts';
import { jsonError, jsonReply, type Reply } from './reply.ts';

const defaultLimit = 100;
const maxRecords = 1000;

/** The format of our cursors. */
const cursor = /^[0-9a-z]{1,32}-\d{1,15}$/;

const parameters = ['since', 'target', 'check', 'limit'];

type Elsewhere = (name: string) => string | undefined;

/** `targets`: configured ones. `elsewhere`: which shard has another target. */
export const transitionsReply = (
  eventHistory: EventHistoryReader,
  targets: readonly string[],
  params: URLSearchParams,
  elsewhere: Elsewhere,
): Reply => {
  const read = readQuery(params, new Set([...targets, ...eventHistory.targets()]), elsewhere);
  if ('error' in read) return jsonError(400, read.error);
  const { records, ...rest } = eventHistory.find(read);
  return jsonReply(200, { records: records.map(jsonOf), ...rest });
};

const readQuery = (
  given: URLSearchParams,
  known: ReadonlySet<string>,
  elsewhere: Elsewhere,
): Query | { readonly error: string } => {
  const problems: string[] = [];
  // Names only the first of many unknown targets, so that the response stays short.
  const other = [...given.keys()].find((name) => !parameters.includes(name));
  if (other !== undefined) problems.push(unknownName('parameter', other, parameters));
  for (const name of ['since', 'limit']) if (given.getAll(name).length > 1) problems.push(`${name} is given more than once`);

  const targets = new Set(given.getAll('target'));
  const unknown = [...targets].find((target) => !known.has(target));
  if (unknown !== undefined) problems.push(elsewhere(unknown) ?? unknownName('target', unknown, [...known]));
  const limit = given.get('limit') ?? String(defaultLimit);
  if (!/^\d{1,4}$/.test(limit) || Number(limit) < 1 || Number(limit) > maxRecords)
    problems.push(`limit ${quoted(limit)} must be an integer from 1 to ${maxRecords}`);

  const since = given.get('since');
  const from = since === null ? undefined : sinceOf(since);
  if (since !== null && from === undefined)
    problems.push(`since ${quoted(since)} must be the cursor of an earlier response, or an instant such as 2026-11-20T12:00:00Z`);

  if (problems.length > 0) return { error: problems.join('; ') };
  const checks = new Set(given.getAll('check').map((check) => shortened(check, recordLimits.name)));
  return { targets, checks, limit: Number(limit), ...(from !== undefined && { since: from }) };
};

const sinceOf = (text: string): Query['since'] => {
  if (cursor.test(text)) return { cursor: text };
  // An unescaped plus sign is decoded as a space.
  const instant = parseInstant(text.replace(' ', '+'));
  return instant === undefined ? undefined : { instant };
};
