// The page of a fleet is compressed in blocks: a poll recompresses only the changed pieces of its own block.
// Counted, not timed.

import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Target } from '../../src/conditions/condition.ts';
import { blockSize, createBlocks } from '../../src/metrics/blocks.ts';
import { type Contribution, contributionOf } from '../../src/metrics/contribution.ts';
import { join, joinedBytes } from '../../src/metrics/join.ts';
import { createPack } from '../../src/metrics/pack.ts';
import { createPage } from '../../src/metrics/page.ts';
import { pieceOf } from '../../src/metrics/pieces.ts';
import type { Format } from '../../src/metrics/text.ts';
import { cases } from '../support/cases.ts';
import { build, bytesOf, layout, pageState } from '../support/metrics.ts';
import { fresh, judged, noon, passing, report, targetKnowing, targetOptions } from '../support/snapshot.ts';

const targetAt = (name: string, at: number, pace = 30): Target => {
  const checks = report({ P: passing({ timestamp: at }), [`of ${name}`]: passing() });
  return judged(targetKnowing(targetOptions({ name, healthCheckFrequency: pace }), { health: { all: fresh(checks, at) } }), at);
};

const names = Array.from({ length: 24 }, (_, at) => `n${at}`);
/** By name: the contributions of a target at different times. */
const pool = new Map(
  names.map((name, at) => [
    name,
    [noon, noon + 1, noon + 2].map((now) => contributionOf(layout, targetAt(name, now, at % 3 === 0 ? 10 : 30), now, 0)),
  ]),
);
const name = fc.constantFrom(...names);
const steps = fc.array(
  fc.oneof(
    { weight: 12, arbitrary: fc.record({ do: fc.constant('set' as const), name, version: fc.nat(2) }) },
    { weight: 3, arbitrary: fc.record({ do: fc.constant('delete' as const), name, version: fc.constant(0) }) },
    { weight: 3, arbitrary: fc.record({ do: fc.constant('scrape' as const), name, version: fc.constant(0) }) },
  ),
  { minLength: 10, maxLength: 150, size: 'max' },
);

test.each<Format>(['text', 'openmetrics'])(
  '%s: after any polls, additions and removals, the gzip page equals the plain page of the current targets',
  async (format) => {
    await fc.assert(
      fc.asyncProperty(steps, fc.integer({ min: 1, max: 5 }), async (all, size) => {
        const blocks = createBlocks(layout.names.length, { size });
        const pack = createPack(layout, format, blocks);
        const known = new Map<string, Contribution>();
        const scrape = async () => {
          const ofTargets = blocks.all();
          expect(new Set(ofTargets)).toEqual(new Set(known.values()));
          expect(ofTargets).toHaveLength(known.size);
          const rest = [Buffer.from('the rest\n'), Buffer.alloc(0)];
          for (const chosen of [() => true, (family: string) => family.endsWith('_total')]) {
            const plain = await joinedBytes(join(layout, format, ofTargets, rest, chosen));
            expect(Buffer.compare(gunzipSync(await pack(rest, chosen)), plain)).toBe(0);
          }
        };
        for (const { do: what, name, version } of all) {
          const made = pool.get(name)?.[version];
          if (what === 'scrape') await scrape();
          else if (what === 'delete' || made === undefined) {
            blocks.delete(name);
            known.delete(name);
          } else {
            blocks.set(name, made);
            known.set(name, made);
          }
        }
        await scrape();
      }),
      { numRuns: cases(25) },
    );
  },
);

test('a target that is removed with its whole block disappears from the page, although nothing else has changed', async () => {
  const blocks = createBlocks(layout.names.length, { size: 1 });
  const pack = createPack(layout, 'text', blocks);
  for (const one of ['n0', 'n1', 'n2']) blocks.set(one, contributionOf(layout, targetAt(one, noon), noon, 0));
  const shown = async () =>
    [
      ...gunzipSync(await pack([]))
        .toString()
        .matchAll(/^snowgauge_up\{target="(n\d+)"/gm),
    ].map(([, one]) => one);
  expect(await shown()).toEqual(['n0', 'n1', 'n2']);
  blocks.delete('n1');
  expect(await shown()).toEqual(['n0', 'n2']);
});

// One for all tests: it observes the event loop for as long as the process lives.
const page = createPage(build);

test('the page of a fleet is the same in both encodings after targets were polled, removed and stale', async () => {
  const targets = new Map<string, Target>();
  let version = 0;
  const poll = (at: number, now: number) => {
    const target = targetAt(`n${at}`, now);
    targets.set(`n${at}`, target);
    page.prepare(target, now, 0);
  };
  /** Names of the targets that have a check on the page, in the order of the page. */
  const scrape = async (now: number) => {
    version += 1;
    const state = pageState(new Map(targets), { version });
    const packed = gunzipSync(bytesOf((await page.at(state, now, undefined, 'gzip')).body)).toString();
    const plain = bytesOf((await page.at(state, now, undefined, undefined)).body).toString();
    expect(packed === plain).toBe(true);
    return [...packed.matchAll(/^snowgauge_check_healthy\{target="(n\d+)",check="P"/gm)].map(([, name]) => name);
  };
  for (let at = 0; at < 3 * blockSize; at += 1) poll(at, noon);
  expect(await scrape(noon)).toEqual([...targets.keys()]);
  poll(40, noon + 60);
  poll(90, noon + 60);
  targets.delete('n41');
  expect(await scrape(noon + 60)).toEqual([...targets.keys()]);
  // The others have not reported for three intervals.
  expect(await scrape(noon + 91)).toEqual(['n40', 'n90']);
});

test('a request during rendering shares that page, and a request after it gets the current state', async () => {
  const targets = new Map(Array.from({ length: 2 * blockSize }, (_, at) => [`n${at}`, targetAt(`n${at}`, noon)]));
  const at = (version: number) => page.at(pageState(new Map(targets), { version }), noon, undefined, 'gzip');
  const first = at(-1);
  targets.delete('n7');
  const [one, other] = [await first, await at(-2)];
  targets.delete('n8');
  const meanwhile = at(-3);
  const [same, shared] = await Promise.all([at(-4), meanwhile]);
  expect(same.body).toBe(shared.body);
  const known = [one, other, same].map(
    ({ body }) =>
      gunzipSync(bytesOf(body))
        .toString()
        .match(/^snowgauge_up\{/gm)?.length,
  );
  expect(known).toEqual([64, 63, 62]);
});

/** Blocks of `count` targets; `made` returns how many pieces were compressed since its last call. */
const counted = (count: number) => {
  let pieces = 0;
  const places = layout.names.length;
  const compressed = (plain: Uint8Array) => {
    pieces += 1;
    return pieceOf(plain);
  };
  const blocks = createBlocks(places, { compressed });
  const poll = (at: number, now: number, pace?: number) => {
    const target = targetAt(`n${at}`, now, pace);
    blocks.set(`n${at}`, contributionOf(layout, target, now, 0));
  };
  const made = () => {
    const since = pieces;
    pieces = 0;
    return since;
  };
  const scrape = () => {
    blocks.all();
    while (!blocks.compress(100));
    for (let place = 0; place < places; place += 1) blocks.piece(place);
    return made();
  };
  for (let at = 0; at < count; at += 1) poll(at, noon);
  return { poll, scrape, made, places };
};

test('after a poll of one target, a scrape compresses only the changed pieces of its block, and the next scrape none', () => {
  const { poll, scrape, places } = counted(10 * blockSize);
  expect(scrape()).toBe(10 * places);
  expect(scrape()).toBe(0);
  poll(100, noon);
  expect(scrape()).toBe(0);
  poll(100, noon + 30);
  const changed = scrape();
  expect(changed).toBeGreaterThan(0);
  expect(changed).toBeLessThan(places / 4);
  poll(100, noon + 60);
  poll(101, noon + 60);
  expect(scrape()).toBe(changed);
  poll(7, noon + 60);
  poll(300, noon + 60);
  expect(scrape()).toBe(2 * changed);
});

test('a fully polled block is compressed before the next scrape, while scrapes are recent', () => {
  const { poll, scrape, made } = counted(2 * blockSize);
  const round = (nth: number) => {
    for (let at = 0; at < blockSize; at += 1) poll(at, noon + nth * 30);
    return made();
  };
  expect(round(0)).toBe(0);
  scrape();
  const changed = round(1);
  expect(changed).toBeGreaterThan(0);
  expect(scrape()).toBe(0);
  const rounds = Array.from({ length: 20 }, (_, nth) => round(2 + nth));
  expect(rounds.slice(0, 8)).toEqual(Array(8).fill(changed));
  expect(rounds.slice(8)).toEqual(Array(12).fill(0));
  expect(scrape()).toBe(changed);
});

test('targets that are polled in another order than they are listed are regrouped in the order of their polls', () => {
  const count = 20 * blockSize;
  const { poll, scrape, made } = counted(count);
  scrape();
  let most = 0;
  // 7 and the count have no common divisor: this visits all targets in an order in which neighbours are far apart.
  const half = (nth: number) => {
    for (let at = 0; at < count / 2; at += 1) {
      poll((((nth * count) / 2 + at) * 7) % count, noon + nth * 15);
      most = Math.max(most, made());
    }
    return scrape();
  };
  const scrapes = [1, 2, 3, 4, 5, 6, 7, 8].map(half);
  // Two families of each block with recent polls; later only of the blocks that are being polled.
  expect(scrapes[0]).toBe(8);
  expect(scrapes.slice(3).every((pieces) => pieces <= 4)).toBe(true);
  // The regrouped ones, and a complete block.
  expect(most).toBeGreaterThan(10);
  expect(most).toBeLessThanOrEqual(22);
});

test('extra polls between two health check runs regroup nothing, and blocks are compressed before the next scrape', () => {
  const count = 20 * blockSize;
  const { poll, scrape, made } = counted(count);
  scrape();
  const half = (nth: number) => {
    for (let at = 0; at < count / 2; at += 1) {
      const inTurn = (nth * count) / 2 + at;
      poll(inTurn % count, noon + nth * 15);
      if (at % 20 === 0) poll((inTurn + count / 2) % count, noon + nth * 15);
    }
    const beside = made();
    return { beside, scrape: scrape() };
  };
  const halves = [0, 1, 2, 3, 4, 5, 6, 7].map(half);
  expect(Math.max(...halves.map((one) => one.scrape))).toBeLessThanOrEqual(6);
  // Two families of the ten blocks in order, and of one block for each extra poll.
  expect(Math.max(...halves.map((one) => one.beside))).toBeLessThanOrEqual(2 * (10 + 16 + 10));
});

test('isOne() is true when only one block is left', () => {
  const blocks = createBlocks(layout.names.length);
  const target = targetAt('n', noon);
  for (let at = 0; at < 2 * blockSize; at += 1) blocks.set(`n${at}`, contributionOf(layout, target, noon, 0));
  expect(blocks.isOne()).toBe(false);
  for (let at = 0; at < blockSize; at += 1) blocks.delete(`n${at}`);
  expect(blocks.isOne()).toBe(true);
});
