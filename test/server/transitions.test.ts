// /api/v1/history over real sockets: cursors, gaps and invalid queries.

import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import { createEventHistory, type EventHistory } from '../../src/events/event-history.ts';
import type { TransitionRecord } from '../../src/events/record.ts';
import { createRing } from '../../src/events/ring.ts';
import { draft, ringWith } from '../support/events.ts';
import { serveExporter } from '../support/exporter-server.ts';
import { noon } from '../support/snapshot.ts';

interface Answer {
  readonly status: number;
  readonly type: string | null;
  readonly body: {
    readonly records: readonly { readonly id: string; readonly at: string; readonly check: string; readonly target: string }[];
    readonly cursor: string;
    readonly more: boolean;
    readonly gap: boolean;
    readonly error: string;
  };
}

/** Not validated: each test asserts the members it uses. */
const anyBody = z.custom<Answer['body']>();

const serving = async (eventHistory: EventHistory) => {
  const { url } = await serveExporter({ eventHistory });
  return async (query: string): Promise<Answer> => {
    const response = await fetch(`${url}/api/v1/history${query}`);
    return { status: response.status, type: response.headers.get('content-type'), body: anyBody.parse(await response.json()) };
  };
};

const ats = ({ body }: Answer): readonly number[] => body.records.map(({ at }) => Date.parse(at) / 1000 - noon);

const historyOf = (count: number, over: Partial<Parameters<typeof createEventHistory>[0]> = {}): EventHistory => {
  const eventHistory = createEventHistory({ run: 'run1', ...over });
  for (let at = 1; at <= count; at += 1) eventHistory.add([draft(at)]);
  return eventHistory;
};

test('without since, returns the newest records, oldest first', async () => {
  const ask = await serving(historyOf(5));
  const answer = await ask('?limit=3');
  expect(answer).toMatchObject({ status: 200, type: 'application/json; charset=utf-8', body: { more: false, gap: false } });
  expect(ats(answer)).toEqual([3, 4, 5]);
  expect(answer.body.records[0]).toEqual({
    id: 'run1-3',
    kind: 'check',
    at: '2026-11-20T12:00:03.000Z',
    target: 'node',
    tagSets: ['all'],
    check: 'database',
    from: 'passing',
    to: 'failing',
    error: 'closed',
  });
});

test('a reader that follows the cursor of each response gets every record once, in order', async () => {
  const eventHistory = historyOf(0);
  const ask = await serving(eventHistory);
  const read: number[] = [];
  let { cursor } = (await ask('?since=1970-01-01T00:00:00Z')).body;
  for (let at = 1; at <= 40; at += 1) {
    eventHistory.add([draft(at), ...(at % 3 === 0 ? [draft(at + 0.5, { check: 'P' })] : [])]);
    if (at % 7 !== 0) continue;
    for (let more = true; more; ) {
      const answer = await ask(`?since=${cursor}&limit=4`);
      read.push(...ats(answer));
      expect(answer.body.gap).toBe(false);
      ({ cursor, more } = answer.body);
    }
  }
  expect(read).toEqual(
    eventHistory
      .records()
      .map(({ at }: TransitionRecord) => at - noon)
      .filter((at) => at < 36),
  );
});

test.each([
  { query: '?check=P', ats: [2] },
  { query: '?check=P&check=database&target=node', ats: [1, 2] },
  { query: '?target=other', ats: [3, 4] },
  { query: '?target=other&target=node', ats: [1, 2, 3, 4] },
  { query: '?check=nothing', ats: [] },
  { query: '?since=2026-11-20T12:00:03Z', ats: [3, 4] },
  { query: '?since=2026-11-20T17:30:03%2B05:30', ats: [3, 4] },
  { query: '?since=2026-11-20T17:30:03+05:30&check=database', ats: [3] },
])('$query filters the records', async ({ query, ats: expected }) => {
  const eventHistory = historyOf(0);
  eventHistory.add([draft(1), draft(2, { check: 'P' }), draft(3, { target: 'other' })]);
  eventHistory.add([{ kind: 'node-restarted', at: noon + 4, target: 'other', message: 'its port was closed in between' }]);
  const answer = await (await serving(eventHistory))(query);
  expect(answer.status).toBe(200);
  expect(ats(answer)).toEqual(expected);
});

test('a reader whose next record was evicted gets gap: true and the remaining records', async () => {
  const eventHistory = historyOf(3, { ring: createRing({ perTarget: 4, bytes: 1_000_000 }) });
  const ask = await serving(eventHistory);
  const { cursor } = (await ask('')).body;
  eventHistory.add([draft(4), draft(5), draft(6), draft(7)]);
  expect(await ask(`?since=${cursor}`)).toMatchObject({ body: { gap: false } });
  eventHistory.add([draft(8)]);
  const late = await ask(`?since=${cursor}`);
  expect(late.body.gap).toBe(true);
  expect(ats(late)).toEqual([5, 6, 7, 8]);
});

test('a reader from an instant on gets gap: true if a record since then was evicted', async () => {
  const eventHistory = historyOf(8, { ring: createRing({ perTarget: 4, bytes: 1_000_000 }) });
  eventHistory.add([draft(9, { target: 'other' })]);
  const ask = await serving(eventHistory);
  const gapOf = async (query: string): Promise<boolean> => (await ask(`?since=2026-11-20T12:00:${query}`)).body.gap;
  expect(await gapOf('04Z')).toBe(true);
  expect(await gapOf('05Z')).toBe(false);
  expect(await gapOf('04Z&target=other')).toBe(false);
});

test('a cursor of an earlier run resumes if its run is still known, and reports a gap if not', async () => {
  const history = historyOf(4).records();
  const later = createEventHistory({ run: 'run2', ring: ringWith(history) });
  const ask = await serving(later);
  expect((await ask('')).body.cursor).toBe('run1-4');
  later.add([draft(9)]);
  const known = await ask('?since=run1-3');
  expect(ats(known)).toEqual([4, 9]);
  expect(known.body).toMatchObject({ gap: false, cursor: 'run2-1' });
  const unknown = await ask('?since=run0-7');
  expect(ats(unknown)).toEqual([1, 2, 3, 4, 9]);
  expect(unknown.body.gap).toBe(true);
});

test.each([
  { query: '?since=yesterday', error: /since "yesterday" must be the cursor of an earlier response, or an instant such as/ },
  { query: '?since=', error: /since "" must be/ },
  { query: '?since=run1-1&since=run1-2', error: /since is given more than once/ },
  { query: '?limit=0', error: /limit "0" must be an integer from 1 to 1000/ },
  { query: '?limit=1001', error: /limit "1001"/ },
  { query: '?limit=1e2', error: /limit "1e2"/ },
  { query: '?limit=-1&limit=2', error: /limit is given more than once; limit "-1"/ },
  { query: '?target=nod', error: /unknown target "nod": expected one of node$/ },
  { query: '?tag=all', error: /unknown parameter "tag": expected one of since, target, check, limit/ },
  { query: `?target=${'x'.repeat(3000)}`, error: /unknown target "x+…x+"/ },
])('$query is 400 with an error message', async ({ query, error }) => {
  const answer = await (await serving(historyOf(1)))(query);
  expect(answer).toMatchObject({ status: 400, type: 'application/json; charset=utf-8' });
  expect(answer.body.error).toMatch(error);
});
