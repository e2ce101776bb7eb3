// What a reload keeps and drops: clients, removed targets, and the conditions of renamed targets.

import { expect, test } from 'vitest';
import { createClient } from '../src/client/client.ts';
import { judge } from '../src/conditions/judge.ts';
import { targetFrom } from '../src/config/target.ts';
import { noLines } from '../src/events/lines.ts';
import { silentLog } from '../src/log.ts';
import { applyPoll } from '../src/poller/apply.ts';
import { polledFor } from '../src/removed.ts';
import { sources } from '../src/sources/sources.ts';
import { withSubnets } from '../src/sources/subnets/tag-sets.ts';
import { createTargetTable } from '../src/target-table.ts';
import { updateTarget } from '../src/target-update.ts';
import { timedOut } from './support/rounds.ts';
import { failing, fresh, judged, noon, passing, report, stopped, targetKnowing } from './support/snapshot.ts';

const url = 'http://127.0.0.1:9650';
const { options, client: clientOptions } = targetFrom({ name: 'a', url });

test.each([
  { poll: 'no poll is running', isPolled: false, closed: ['old'] },
  { poll: 'a poll uses the previous client', isPolled: true, closed: [] },
])('a reload that only replaces the client, while $poll, closes $closed', ({ isPolled, closed }) => {
  const ended: string[] = [];
  const client = (name: string) => ({
    ...createClient({ ...clientOptions, userAgent: 'test' }, () => 0),
    close: () => void ended.push(name),
  });
  const held = createTargetTable({
    ...{ table: sources, now: () => 0, log: silentLog, recall: undefined },
    forgetsRemoved: false,
  });
  const old = client('old');
  held.replace([{ options, client: old }]);
  const entry = held.entries.get('a');
  if (isPolled && entry !== undefined) entry.inUse = old;
  held.replace([{ options, client: client('new') }]);
  expect(ended).toEqual(closed);
});

type Given = NonNullable<Parameters<typeof targetFrom>[0]>;

/** A table whose clock is set by the test, and the targets for it. */
const tableAt = (clock: { seconds: number }) => {
  const client = createClient({ ...clientOptions, userAgent: 'test' }, () => 0);
  return {
    table: createTargetTable({
      ...{ table: sources, now: () => clock.seconds, log: silentLog, recall: undefined },
      forgetsRemoved: false,
    }),
    of: (given: Given) => ({ options: targetFrom({ indexes: [], ...given }).options, client }),
  };
};

test('a removed target stays complete if a subnet of the discovered target with its name is gone', () => {
  const { table, of } = tableAt({ seconds: 0 });
  table.replace([of({ name: 'a', url, tagSets: [{ name: 'mine', tags: ['x'] }] })]);
  table.replace([]);
  table.replace([{ ...of({ name: 'a', url, tagSets: 'auto' }), isDiscovered: true }]);
  const entry = table.entries.get('a');
  if (entry === undefined) throw new Error('no entry');
  const target = table.targetOf(entry);
  const known = [{ id: 'subnet-1', name: 'one', checks: ['one'] }];
  table.dropTagSets(entry, { ...target, state: { ...target.state, options: withSubnets(target.state.options, known) } });
  expect([...table.entries.keys()]).toEqual(['a', 'removed a']);
  expect([...table.entries.values()].map((one) => table.targetOf(one).state.options.name)).toEqual(['a', 'a']);
});

test('a target is kept for ten minutes after its removal, also if one of its tag sets was removed before', () => {
  const clock = { seconds: 0 };
  const { table, of } = tableAt(clock);
  table.replace([of({ name: 'a', url, tagSets: [{ name: 'mine', tags: ['x'] }] })]);
  table.replace([of({ name: 'a', url })]);
  clock.seconds = polledFor - 20;
  table.replace([of({ name: 'b', url })]);
  clock.seconds += polledFor;
  expect(table.expire()).toEqual([]);
  clock.seconds += 1;
  expect(table.expire()).toEqual(['removed a']);
});

test('a renamed target keeps its conditions, even if a target with its new name and another address was removed', () => {
  const { table, of } = tableAt({ seconds: noon });
  const renamed = { url: 'http://127.0.0.1:9750' };
  table.replace([of({ name: 'b', url })]);
  table.replace([of({ name: 'a', ...renamed })]);
  const entry = table.entries.get('a');
  if (entry === undefined) throw new Error('no entry');
  const known = { health: { all: fresh(report({ network: passing() })) }, readiness: fresh(report({})) };
  table.set(entry, judged(targetKnowing(table.targetOf(entry).state.options, known)));
  table.replace([of({ name: 'b', ...renamed })]);
  expect(table.targets.get('b')?.conditions.ready.get('all')).toMatchObject({ status: 'True' });
});

/** A node that was ready, and stays so by the count of its runs, but something else speaks against it. */
test.each([
  { doubt: 'its checks hang', known: stopped(noon - 900, 30), status: 'Unknown' },
  {
    doubt: 'it reports that it is not ready',
    known: { readiness: fresh(report({ bootstrapped: failing('no') })) },
    status: 'False',
  },
])('a target that is not ready because $doubt is not ready after a reload and a failed poll either', ({ known, status }) => {
  const { table, of } = tableAt({ seconds: noon });
  table.replace([of({ name: 'a', url })]);
  const entry = () => {
    const [found] = table.entries.values();
    if (found === undefined) throw new Error('no entry');
    return found;
  };
  const { options } = table.targetOf(entry()).state;
  const seen = { health: { all: fresh(report({ network: passing() })) }, readiness: fresh(report({})) };
  const { conditions } = judged(targetKnowing(options, seen));
  expect(conditions.ready.get('all')).toMatchObject({ status: 'True' });
  const state = targetKnowing(options, { ...seen, ...known });
  table.set(entry(), { state, conditions: judge(conditions, state, noon) });
  const slower = { url, healthCheckFrequency: '20s' };
  const mine = { name: 'mine', tags: ['x'] };
  for (const next of [
    { ...slower, name: 'a' },
    { ...slower, name: 'b' },
    { ...slower, name: 'b', tagSets: [{ name: 'all' }, mine] },
  ]) {
    table.replace([of(next)]);
    const before = table.targetOf(entry());
    expect(before.conditions.ready.get('all')).toMatchObject({ status });
    const answer = { outcome: timedOut, sentAt: noon + 1, endedAt: noon + 6 };
    const reports = new Map(before.state.options.tagSets.map(({ name }) => [name, answer]));
    const asked = { readiness: answer, health: { reports, tags: new Map() }, liveness: answer };
    const { state } = applyPoll(sources, before.state, asked, { startedAt: noon + 1, endedAt: noon + 6, afterClose: false });
    const { ready } = updateTarget(sources, { target: before, memory: noLines }, state, noon + 6).target.conditions;
    expect(ready.get('all')).toMatchObject({ status: 'Unknown', reason: 'NoResponse' });
    expect(ready.get('mine')?.status).not.toBe('True');
  }
});
