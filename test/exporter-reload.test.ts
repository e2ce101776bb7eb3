// The events of a reload: of conditions that it changes, and of targets that it removes.

import { expect, onTestFinished, test } from 'vitest';
import { serve } from '../src/commands/serve.ts';
import { targetFrom } from '../src/config/target.ts';
import { createEventHistory } from '../src/events/event-history.ts';
import { startExporter } from '../src/exporter.ts';
import { silentLog } from '../src/log.ts';
import { clientOf } from './support/asking.ts';
import { serveAnswer } from './support/serve.ts';
import { targetOptions } from './support/snapshot.ts';

type Options = NonNullable<Parameters<typeof targetOptions>[0]>;

/** An exporter that has polled a healthy node once. */
const polledOnce = async (isDiscovered = false) => {
  // The clients have the real clock.
  let now = Math.floor(Date.now() / 1000);
  const network = { timestamp: new Date(now * 1000).toISOString(), duration: 1 };
  const { url, close } = await serveAnswer(200, JSON.stringify({ checks: { network }, healthy: true }));
  onTestFinished(() => close());
  const stop = new AbortController();
  onTestFinished(() => stop.abort());
  const of = (options: Options) => {
    const all = targetOptions({ url, ...options });
    return { options: all, client: clientOf(all.url), isDiscovered };
  };
  const eventHistory = createEventHistory({ run: 'run' });
  const exporter = startExporter([of({})], { now: () => now, log: silentLog, signal: stop.signal, eventHistory });
  await expect.poll(() => eventHistory.records('node')).toHaveLength(4);
  return {
    url,
    /** Returns the events of the reload, ten seconds later. */
    reload: (options: Options): readonly string[] => {
      now += 10;
      exporter.replace([of(options)]);
      return eventHistory
        .records('node')
        .filter(({ at }) => at === now)
        .map(({ condition, tagSets = [], from, to }) => [condition, ...tagSets, from, to].join(' '));
    },
  };
};

test.each([
  { target: 'configured', isDiscovered: false },
  { target: 'discovered', isDiscovered: true },
])(
  'with a new address, a $target target has an event for each condition that is unknown until it is polled there',
  async ({ isDiscovered }) => {
    const { url, reload } = await polledOnce(isDiscovered);
    expect(reload({ url: `${url}/other` })).toEqual([
      'Started True Unknown',
      'Ready all True Unknown',
      'Healthy all True Unknown',
      'Live True Unknown',
    ]);
  },
);

test('the history of a tag set that a reload renames begins with the reload, and that of its former name is unknown from then on', async () => {
  const { reload } = await polledOnce();
  expect(reload({ tagSets: [{ name: 'node', tags: [] }] })).toEqual([
    'Ready node Unknown True',
    'Ready all True Unknown',
    'Healthy node Unknown True',
    'Healthy all True Unknown',
  ]);
});

test('a reload that changes no condition has no events', async () => {
  const { reload } = await polledOnce();
  expect(reload({ healthCheckFrequency: 20 })).toEqual([]);
  expect(
    reload({
      tagSets: [
        { name: 'all', tags: [] },
        { name: 'mine', tags: ['x'] },
      ],
    }),
  ).toEqual([]);
});

test('a target that a reload removes or renames has one event about it', async () => {
  const stop = new AbortController();
  const targets = (...names: readonly string[]) => names.map((name) => targetFrom({ name, url: 'http://127.0.0.1:1' }));
  const served = { source: 'test', listen: { host: '127.0.0.1', port: 0 }, targets: targets('a', 'b', 'c') };
  const now = () => Date.now() / 1000;
  const serving = await serve(served, { now, log: silentLog, version: 'test', signal: stop.signal });
  if (serving.kind === 'invalid') throw new Error(JSON.stringify(serving.errors));
  onTestFinished(async () => {
    stop.abort();
    await serving.finished;
  });
  serving.replace({ targets: targets('a', 'renamed'), maintenance: { windows: [] } });
  const { records } = JSON.parse(await (await fetch(`${serving.url}/api/v1/history`)).text());
  const removed = records.filter(({ kind }: { readonly kind: string }) => kind === 'target-removed');
  expect(removed).toMatchObject(['b', 'c'].map((target) => ({ target, message: 'no longer configured' })));
});
