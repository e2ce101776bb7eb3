// The cost of a page depends on the changes: the part of a target is rendered once, and again only when it changed or became
// stale. Counted, not timed.

import { expect, test } from 'vitest';
import type { Target } from '../../src/conditions/condition.ts';
import { createPage, type PageState, type RenderedPage } from '../../src/metrics/page.ts';
import { sources } from '../../src/sources/sources.ts';
import type { TargetState } from '../../src/sources/target-state.ts';
import { collector } from '../support/collector.ts';
import { build, bytesOf, pageState } from '../support/metrics.ts';
import { fresh, judged, noon, passing, report, targetKnowing, targetOptions } from '../support/snapshot.ts';

const stateOf = (name: string, at: number): TargetState =>
  targetKnowing(targetOptions({ name }), { health: { all: fresh(report({ P: passing() }), at) } });

interface Scraped {
  /** Names of the targets whose families were rendered since the last call, once per rendering. */
  readonly made: () => readonly string[];
  readonly state: () => PageState;
  readonly scrape: (now: number) => Promise<RenderedPage['body']>;
  /** Replaces the target by its state after a poll. */
  readonly poll: (name: string, at: number) => void;
}

const made: string[] = [];

/** The table of the exporter, with a source that records for which target its families are rendered. */
const table = {
  ...sources,
  liveness: {
    ...sources.liveness,
    families: [
      ...sources.liveness.families,
      {
        definitions: [],
        families: (_: unknown, { target }: { readonly target: string }) => {
          made.push(target.slice('target="'.length, -1));
          return [];
        },
      },
    ],
  },
};

// One for all tests: it observes the event loop for as long as the process lives.
const page = createPage(build, table);

const scraped = (count: number): Scraped => {
  const targets = new Map<string, Target>();
  let version = 0;
  const set = (state: TargetState, at: number): Target => {
    const target = judged(state, at);
    targets.set(state.options.name, target);
    version += 1;
    return target;
  };
  for (let at = 0; at < count; at += 1) set(stateOf(`node-${at}`, noon), noon);
  const state = (): PageState => pageState(targets, { version });
  return {
    made: () => made.splice(0),
    state,
    scrape: async (now) => (await page.at(state(), now, undefined, undefined)).body,
    poll: (name, at) => page.prepare(set(stateOf(name, at), at), at, 0),
  };
};

test('a page renders every target once', async () => {
  const { made: since, scrape } = scraped(3);
  since();
  await scrape(noon);
  expect(since()).toEqual(['node-0', 'node-1', 'node-2']);
});

test('a scrape without changes renders nothing and returns the same bytes', async () => {
  const { made: since, scrape } = scraped(3);
  const first = await scrape(noon);
  since();
  expect(await scrape(noon + 0.9)).toBe(first);
  // After a second, the process metrics are rendered again, but no target.
  await scrape(noon + 60);
  expect(since()).toEqual([]);
});

test('a poll of one of 1,000 targets renders that target at once, and the next scrape renders nothing', async () => {
  const { made: since, scrape, poll } = scraped(1000);
  await scrape(noon);
  since();
  poll('node-500', noon + 5);
  expect(since()).toEqual(['node-500']);
  await scrape(noon + 5);
  expect(since()).toEqual([]);
});

test('without scrapes, a poll still renders the families of its target once, to detect a fault in them at once', async () => {
  const { made: since, scrape, poll } = scraped(2);
  await scrape(noon);
  since();
  poll('node-1', noon + 601);
  expect(since()).toEqual(['node-1']);
});

test('targets that become stale at different times are each rendered again at that time', async () => {
  const { made: since, scrape, poll } = scraped(3);
  await scrape(noon);
  poll('node-1', noon + 10);
  since();
  const text = async (now: number): Promise<string> => bytesOf(await scrape(now)).toString();
  const alive = async (now: number): Promise<readonly string[]> =>
    [...(await text(now)).matchAll(/snowgauge_check_healthy\{target="([^"]+)"/g)].map(([, name]) => name ?? '');
  expect(await alive(noon + 90)).toEqual(['node-0', 'node-1', 'node-2']);
  expect(since()).toEqual([]);
  expect(await alive(noon + 90.001)).toEqual(['node-1']);
  expect([...since()].sort()).toEqual(['node-0', 'node-2']);
  expect(await alive(noon + 100.001)).toEqual([]);
  expect(since()).toEqual(['node-1']);
});

test('a removed target disappears from the page', async () => {
  const targets = new Map<string, Target>([['node-0', judged(stateOf('node-0', noon))]]);
  const body = async (version: number) =>
    bytesOf((await page.at(pageState(targets, { version }), noon, undefined, undefined)).body).toString();
  expect(await body(1)).toContain('target="node-0"');
  targets.clear();
  expect(await body(2)).not.toContain('target="node-0"');
});

test.each(['gzip', undefined])(
  'after all targets were polled, no target of the last scrape is kept in memory (encoding %s)',
  async (encoding) => {
    const { state, poll } = scraped(40);
    await page.at(state(), noon, undefined, encoding);
    const old = Array.from(state().targets.values(), (target) => new WeakRef(target));
    for (const { options } of old.flatMap((one) => one.deref()?.state ?? [])) poll(options.name, noon + 30);
    const collect = collector();
    const held = (): number => {
      collect();
      return old.filter((one) => one.deref() !== undefined).length;
    };
    await expect.poll(held).toBe(0);
  },
);

test('both formats and a partial page use the same rendering of a target', async () => {
  const { made: since, state } = scraped(2);
  since();
  await page.at(state(), noon, undefined, undefined);
  await page.at(state(), noon, 'application/openmetrics-text;version=1.0.0', 'gzip');
  await page.at(state(), noon, undefined, undefined, { of: ['node-1'] });
  expect(since()).toEqual(['node-0', 'node-1']);
});

test('rendering many targets at once is spread over many iterations of the event loop', async () => {
  const { made: since, scrape } = scraped(400);
  since();
  let [turns, most, isOver] = [0, 0, false];
  const count = (): void => {
    turns += 1;
    most = Math.max(most, since().length);
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  await scrape(noon);
  isOver = true;
  expect(turns).toBeGreaterThan(20);
  expect(most).toBeLessThan(40);
});
