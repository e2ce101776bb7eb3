// Which shards watch a target while shards are added and removed: a cluster simulated second by second, with slow pods and late
// watches.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  changesAt,
  fixed,
  type Handover,
  handoverAt,
  heard,
  isUnsure,
  type ShardReplicas,
  scrapedBy,
  watchedBy,
} from '../../src/shards/handover.ts';
import { createOwners } from '../../src/shards/owners.ts';
import '../support/property-seed.ts';
import { cases } from '../support/cases.ts';

/** The check interval, and the maximum delay of a watch, of a stop, and of readiness after the first watch. */
const wait = 30;
const late = 5;

const hear = (before: Handover | undefined, replicas: ShardReplicas, at: number, shard = 0): Handover =>
  heard(before, replicas, { shard, at, interval: wait });

interface Step {
  /** Seconds after the last. */
  readonly after: number;
  readonly replicas: number;
}

interface Restart {
  readonly at: number;
  readonly ordinal: number;
  /** Seconds until it runs again, and then watches the StatefulSet and its share; it is ready two seconds later. */
  readonly down: number;
}

interface World {
  readonly first: number;
  readonly steps: readonly Step[];
  readonly restarts?: readonly Restart[];
  /** Seconds until a new pod is ready, by ordinal; a pod that is never ready watches nothing. */
  readonly startup: readonly number[];
  /** Also the first pods start, instead of being ready at once. */
  readonly isCold?: boolean;
  /** Delay of the watch of each shard in seconds, by ordinal. */
  readonly delays: readonly number[];
}

const { ownerOf } = createOwners();
const names = Array.from({ length: 30 }, (_, at) => `a.node-${at}`);

/** The state at each second: who watches what, the shards that Prometheus is sent to, and the replicas of the StatefulSet. */
const played = ({ first, steps, restarts = [], startup, isCold = false, delays }: World) => {
  const end = steps.reduce((at, { after }) => at + after, 0) + 400;
  const said: ShardReplicas[] = [];
  const pods = new Map<number, { readyAt: number; endsAt: number; startedAt?: number; handover?: Handover }>();
  const replicasAt = (at: number): number => {
    let time = 0;
    let replicas = first;
    for (const step of steps) {
      time += step.after;
      if (time <= at) replicas = step.replicas;
    }
    return replicas;
  };
  return Array.from({ length: end }, (_, at) => {
    const replicas = replicasAt(at);
    for (let ordinal = 0; ordinal < replicas; ordinal += 1)
      if (!pods.has(ordinal))
        pods.set(ordinal, { readyAt: at === 0 && !isCold ? 0 : at + (startup[ordinal] ?? 0), endsAt: Number.POSITIVE_INFINITY });
    for (const [ordinal, pod] of pods) {
      if (ordinal >= replicas && pod.endsAt === Number.POSITIVE_INFINITY) pod.endsAt = at + 2;
      if (at >= pod.endsAt) pods.delete(ordinal);
    }
    for (const { ordinal, down } of restarts.filter((one) => one.at === at)) {
      const pod = pods.get(ordinal);
      if (pod?.handover !== undefined) pods.set(ordinal, { readyAt: at + down + 2, endsAt: pod.endsAt });
    }
    const ready = [...pods.values()].filter(({ readyAt }) => readyAt <= at).length;
    said.push({ replicas, ready });
    for (const [ordinal, pod] of pods) {
      const delay = delays[ordinal] ?? 0;
      const event = said[Math.max(0, at - delay)];
      const isNew = event?.replicas !== said[at - delay - 1]?.replicas || event?.ready !== said[at - delay - 1]?.ready;
      // It starts with a list of the current state.
      if (pod.handover === undefined && pod.readyAt - 2 <= at) {
        pod.startedAt = at;
        pod.handover = hear(undefined, said[at] ?? { replicas, ready }, at, ordinal);
      } else if (pod.handover !== undefined && event !== undefined && isNew && at - delay > (pod.startedAt ?? at))
        pod.handover = hear(pod.handover, event, at, ordinal);
      if (pod.handover !== undefined) pod.handover = handoverAt(pod.handover, at, wait);
    }
    const running = [...pods].flatMap(([ordinal, { handover }]) => (handover === undefined ? [] : [{ ordinal, handover }]));
    const watchers = names.map((name) =>
      running
        .filter(({ ordinal, handover }) => watchedBy(ordinal, handover).some((total) => ownerOf(name, total) === ordinal))
        .map((one) => one.ordinal),
    );
    const scraped = () =>
      running
        .filter((one) => !isUnsure(one.handover))
        .map(({ handover }) => names.map((name) => ownerOf(name, scrapedBy(handover))));
    return { replicas, ready, watchers, scraped };
  });
};

/** The longest sequence of seconds for which `is` is true. */
const longest = <T>(seconds: readonly T[], is: (second: T, at: number) => boolean): number => {
  let [most, now] = [0, 0];
  seconds.forEach((second, at) => {
    now = is(second, at) ? now + 1 : 0;
    most = Math.max(most, now);
  });
  return most;
};

const never = Number.POSITIVE_INFINITY;
const startupOf = fc.oneof(fc.integer({ min: 2, max: 20 }), fc.integer({ min: 60, max: 300 }), fc.constant(never));
const worlds = fc.record({
  first: fc.integer({ min: 1, max: 5 }),
  steps: fc.array(fc.record({ after: fc.integer({ min: 1, max: 200 }), replicas: fc.integer({ min: 1, max: 6 }) }), {
    maxLength: 5,
  }),
  startup: fc.array(startupOf, { minLength: 6, maxLength: 6 }),
  delays: fc.array(fc.integer({ min: 0, max: late }), { minLength: 6, maxLength: 6 }),
});

const restart = fc.record({
  at: fc.integer({ min: 1, max: 900 }),
  ordinal: fc.integer({ min: 0, max: 5 }),
  down: fc.integer({ min: 1, max: 8 }),
});

test('no target is unwatched for longer than the watch delay, whatever shards are added, removed, slow or never ready', () => {
  fc.assert(
    fc.property(worlds, (world) => {
      const seconds = played(world);
      for (const at of names.keys()) {
        const gap = longest(seconds, ({ watchers }) => watchers[at]?.length === 0);
        expect(gap, names[at]).toBeLessThanOrEqual(late);
      }
    }),
    { numRuns: cases(60) },
  );
});

test('no target is unwatched for longer than a restart and a check interval, whatever shards restart while the last ones are missing', () => {
  fc.assert(
    fc.property(worlds, fc.array(restart, { minLength: 1, maxLength: 3 }), (world, restarts) => {
      // A shard that restarts assumes that the last ones are missing.
      const startup = world.startup.toSorted((a, b) => a - b);
      const seconds = played({ ...world, startup, restarts });
      const most = restarts.reduce((sum, { down }) => sum + down + wait + late, late);
      for (const at of names.keys()) {
        const gap = longest(seconds, ({ watchers }) => watchers[at]?.length === 0);
        expect(gap, names[at]).toBeLessThanOrEqual(most);
      }
    }),
    { numRuns: cases(100) },
  );
});

test('all shards that know who watches return the same list, whatever shards are added, restart, or start out of order or never', () => {
  fc.assert(
    fc.property(worlds, fc.array(restart, { maxLength: 3 }), fc.boolean(), (world, restarts, isCold) => {
      const seconds = played({ ...world, restarts, isCold });
      const lists = seconds.map(({ scraped }) => new Set(scraped().map(String)).size);
      let calm = 0;
      for (const [at, { replicas, ready }] of seconds.entries()) {
        calm = replicas === seconds[at - 1]?.replicas && ready === seconds[at - 1]?.ready ? calm + 1 : 0;
        if (calm > late) expect(lists[at], `${at} s`).toBeLessThanOrEqual(1);
      }
    }),
    { numRuns: cases(100) },
  );
});

test('if a shard before others is missing after a start of all, each list sends as many targets to shards that watch them as possible', () => {
  const last = played({ first: 3, steps: [], startup: [5, never, 6], isCold: true, delays: [] }).at(-1);
  const watched = last?.watchers.filter(({ length }) => length > 0).length;
  const reached = last?.scraped().map((one) => one.filter((owner, at) => last.watchers[at]?.includes(owner ?? -1)).length);
  expect(reached).toEqual([watched, watched]);
});

test.each([
  { first: 1, to: [2], restarted: [0] },
  { first: 1, to: [3], restarted: [0] },
  { first: 3, to: [4], restarted: [1] },
  { first: 3, to: [5], restarted: [1] },
  { first: 3, to: [6], restarted: [0, 1] },
  { first: 3, to: [6], restarted: [0, 1, 2] },
  { first: 2, to: [6], restarted: [1] },
  { first: 3, to: [4, 6], restarted: [2] },
  { first: 3, to: [6, 4], restarted: [0] },
  { first: 3, to: [5, 3], restarted: [1] },
  { first: 5, to: [3], restarted: [0, 2] },
])(
  'if $restarted of $first shards restart while the replicas become $to and no new shard starts, all targets are soon watched once',
  ({ first, to, restarted }) => {
    const steps = to.map((replicas, at) => ({ after: at === 0 ? 50 : 8, replicas }));
    const restarts = restarted.map((ordinal) => ({ at: 54, ordinal, down: 3 }));
    const seconds = played({ first, steps, restarts, startup: Array.from({ length: 6 }, () => never), delays: [1, 5, 0] });
    for (const at of names.keys())
      expect(longest(seconds, ({ watchers }) => watchers[at]?.length === 0)).toBeLessThanOrEqual(3 + wait);
    const shards = Math.min(first, ...to);
    for (const { watchers } of seconds.slice(54 + 3 * wait))
      expect(watchers).toEqual(names.map((name) => [ownerOf(name, shards)]));
  },
);

test('no target is watched twice after all shards have been ready for a check interval', () => {
  fc.assert(
    fc.property(worlds, (world) => {
      const seconds = played(world);
      let calm = 0;
      for (const [at, { replicas, ready, watchers }] of seconds.entries()) {
        const isSame = seconds[at - 1]?.replicas === replicas && ready === replicas;
        calm = isSame ? calm + 1 : 0;
        if (calm > wait + late + 1) expect(Math.max(...watchers.map(({ length }) => length))).toBe(1);
      }
    }),
    { numRuns: cases(60) },
  );
});

test('no target is watched twice for longer than a check interval, whatever shards are added in order, and removed', () => {
  const startups = fc.array(fc.integer({ min: 2, max: 20 }), { minLength: 6, maxLength: 6 });
  fc.assert(
    fc.property(worlds, startups, ({ steps, ...world }, startup) => {
      const apart = steps.map(({ after, replicas }) => ({ after: after + 90, replicas }));
      const seconds = played({ ...world, steps: apart, startup: startup.toSorted((a, b) => a - b) });
      for (const at of names.keys()) {
        const twice = longest(seconds, ({ watchers }) => (watchers[at]?.length ?? 0) > 1);
        expect(twice, names[at]).toBeLessThanOrEqual(wait);
      }
    }),
    { numRuns: cases(60) },
  );
});

test('after a shard is added, a moved target is watched twice for a check interval at most, less twice the watch delay at least', () => {
  for (const total of [1, 2, 3, 4]) {
    const seconds = played({
      first: total,
      steps: [{ after: 50, replicas: total + 1 }],
      startup: [3, 3, 3, 3, 3],
      delays: [1, 5, 0, 2, 3],
    });
    const twice = names.map((_, at) => longest(seconds, ({ watchers }) => (watchers[at]?.length ?? 0) > 1));
    expect(Math.max(...twice)).toBeGreaterThanOrEqual(wait - 2 * late);
    expect(Math.max(...twice)).toBeLessThanOrEqual(wait);
    expect(seconds.every(({ watchers }) => watchers.every(({ length }) => length >= 1 && length <= 2))).toBe(true);
  }
});

test('if a new shard never becomes ready, the previous owners keep its targets, and Prometheus scrapes them there', () => {
  const seconds = played({ first: 3, steps: [{ after: 50, replicas: 4 }], startup: [3, 3, 3, never], delays: [] });
  const last = seconds.at(-1);
  expect(last?.watchers).toEqual(names.map((name) => [ownerOf(name, 3)]));
  expect(last?.scraped()).toEqual([0, 1, 2].map(() => names.map((name) => ownerOf(name, 3))));
});

test('while a new shard takes over, Prometheus is always sent to a shard that watches the target', () => {
  const seconds = played({ first: 3, steps: [{ after: 50, replicas: 4 }], startup: [3, 3, 3, 20], delays: [] });
  for (const { watchers, scraped } of seconds)
    for (const [at, owners] of watchers.entries()) expect(scraped().every((one) => owners.includes(one[at] ?? -1))).toBe(true);
});

describe('a shard', () => {
  test('that starts while others are not ready does not know who watches until all are ready', () => {
    const started = hear(undefined, { replicas: 4, ready: 2 }, 0);
    const alone = hear(started, { replicas: 4, ready: 3 }, 10);
    const all = hear(alone, { replicas: 4, ready: 4 }, 20);
    const less = hear(alone, { replicas: 3, ready: 3 }, 20);
    const again = hear(handoverAt(all, 60, wait), { replicas: 4, ready: 3 }, 60);
    expect([started, alone, handoverAt(alone, 1000, wait), all, less, again].map(isUnsure)).toEqual([
      ...[true, true, true, false],
      ...[false, false],
    ]);
    const grown = hear(fixed(3), { replicas: 4, ready: 3 }, 0);
    expect(isUnsure(grown)).toBe(false);
  });

  test('that starts while none is ready lists each target at its desired owner', () => {
    const started = hear(undefined, { replicas: 3, ready: 0 }, 0);
    const grown = hear(hear(started, { replicas: 3, ready: 2 }, 10), { replicas: 4, ready: 2 }, 60);
    expect([started, handoverAt(grown, 100, wait)].map((one) => [isUnsure(one), scrapedBy(one)])).toEqual([
      [false, 3],
      [false, 4],
    ]);
    expect(isUnsure(hear(undefined, { replicas: 1, ready: 0 }, 0))).toBe(false);
  });

  test('sends Prometheus to the previous owners again if a new shard was ready for less than a check interval', () => {
    const grown = hear(fixed(3), { replicas: 4, ready: 3 }, 0);
    const ready = hear(grown, { replicas: 4, ready: 4 }, 10);
    const stopped = hear(handoverAt(ready, 20, wait), { replicas: 4, ready: 3 }, 20);
    const lasting = handoverAt(hear(stopped, { replicas: 4, ready: 4 }, 200), 230, wait);
    const later = hear(lasting, { replicas: 4, ready: 3 }, 300);
    expect([grown, ready, handoverAt(stopped, 100, wait), lasting, later].map(scrapedBy)).toEqual([3, 4, 3, 4, 4]);
    expect([grown, ready, stopped, lasting, later].some(isUnsure)).toBe(false);
  });

  test('that restarted does not know who watches, and keeps its guess, if no shard is ready for a while', () => {
    const started = hear(hear(undefined, { replicas: 4, ready: 2 }, 0), { replicas: 4, ready: 3 }, 3);
    const none = handoverAt(hear(handoverAt(started, 60, wait), { replicas: 4, ready: 0 }, 70), 110, wait);
    const again = handoverAt(hear(none, { replicas: 4, ready: 2 }, 120), 150, wait);
    expect([none, again].map((one) => [isUnsure(one), watchedBy(0, one)])).toEqual([
      [true, [4, 3]],
      [true, [4, 2]],
    ]);
  });

  test.each([
    { title: 'alone', seen: { replicas: 2, ready: 0 }, atOnce: [2, 1], later: [2, 1] },
    { title: 'while most are ready', seen: { replicas: 4, ready: 2 }, atOnce: [4, 3], later: [4, 2] },
    { title: 'while half are ready', seen: { replicas: 6, ready: 2 }, atOnce: [6, 3], later: [6, 2] },
    { title: 'together with all others', seen: { replicas: 10, ready: 0 }, atOnce: [10], later: [10] },
    { title: 'while many start', seen: { replicas: 10, ready: 3 }, atOnce: [10], later: [10, 3] },
    { title: 'as the only one that is not ready', seen: { replicas: 3, ready: 2 }, atOnce: [3], later: [3, 2] },
    { title: 'when all are ready', seen: { replicas: 3, ready: 3 }, atOnce: [3], later: [3] },
  ])('that starts $title takes its shares $atOnce, and $later if the same are ready after a check interval', (one) => {
    const started = hear(undefined, one.seen, 0);
    expect(watchedBy(0, handoverAt(started, wait - 1, wait))).toEqual(one.atOnce);
    expect(watchedBy(0, handoverAt(started, wait, wait))).toEqual(one.later);
    const all = hear(started, { ...one.seen, ready: one.seen.replicas }, wait - 1);
    expect(watchedBy(0, handoverAt(all, 2 * wait, wait))).toEqual([one.seen.replicas]);
  });

  test('that starts while its pod still counts as ready takes its previous share after a check interval', () => {
    const started = hear(undefined, { replicas: 4, ready: 3 }, 0);
    const again = hear(hear(started, { replicas: 4, ready: 2 }, 1), { replicas: 4, ready: 3 }, 9);
    expect(changesAt(again, wait)).toBe(30);
    expect(watchedBy(1, handoverAt(again, 30, wait))).toEqual([4, 3]);
    expect(changesAt(handoverAt(again, 30, wait), wait)).toBe(never);
  });

  test('that starts takes no share of a shard before it that is missing', () => {
    const started = hear(undefined, { replicas: 4, ready: 2 }, 0);
    expect(watchedBy(2, handoverAt(started, wait, wait))).toEqual([4, 3]);
    const last = hear(undefined, { replicas: 4, ready: 2 }, 0, 3);
    expect(watchedBy(3, handoverAt(last, wait, wait))).toEqual([4]);
  });

  test.each([
    { shard: 1, ready: 2, isHeld: false },
    { shard: 2, ready: 2, isHeld: true },
    { shard: 3, ready: 0, isHeld: false },
  ])(
    '$shard that starts while $ready of 4 are ready waits for all, or for a check interval: $isHeld',
    ({ shard, ready, isHeld }) => {
      const started = hear(undefined, { replicas: 4, ready }, 0, shard);
      const at = (second: number) => watchedBy(shard, handoverAt(started, second, wait));
      expect([at(wait - 1).length === 0, at(wait)]).toEqual([isHeld, expect.arrayContaining([4])]);
      if (!isHeld) return;
      for (const total of [shard, 4])
        expect(watchedBy(shard, hear(started, { replicas: total, ready: total }, 10, shard))).toEqual([total]);
    },
  );

  test('starts to wait again if a shard becomes not ready before the previous owners have stopped', () => {
    const grown = hear(fixed(3), { replicas: 4, ready: 3 }, 0);
    const ready = hear(grown, { replicas: 4, ready: 4 }, 10);
    expect(changesAt(ready, wait)).toBe(35);
    const unready = hear(ready, { replicas: 4, ready: 3 }, 34);
    expect(watchedBy(0, handoverAt(unready, 100, wait))).toEqual([4, 3]);
    const again = hear(unready, { replicas: 4, ready: 4 }, 100);
    expect(watchedBy(0, handoverAt(again, 124, wait))).toEqual([4, 3]);
    expect(watchedBy(0, handoverAt(again, 125, wait))).toEqual([4]);
  });

  test('does not start to wait again after a repeated event', () => {
    const ready = hear(hear(fixed(3), { replicas: 4, ready: 3 }, 0), { replicas: 4, ready: 4 }, 10);
    expect(changesAt(hear(ready, { replicas: 4, ready: 4 }, 20), wait)).toBe(35);
  });

  test('starts to wait again after the number of shards changes again', () => {
    const ready = hear(hear(fixed(3), { replicas: 4, ready: 3 }, 0), { replicas: 4, ready: 4 }, 10);
    expect(changesAt(hear(ready, { replicas: 5, ready: 5 }, 34), wait)).toBe(59);
  });

  test('keeps watching with the previous number of shards for most of a check interval after one is removed', () => {
    const ended = hear(fixed(4), { replicas: 3, ready: 4 }, 0);
    expect(watchedBy(0, handoverAt(ended, 24, wait))).toEqual([3, 4]);
    expect(watchedBy(0, handoverAt(ended, 25, wait))).toEqual([3]);
  });

  test('keeps only one previous number of shards while the number flaps', () => {
    const flapping = Array.from({ length: 100 }).reduce<Handover>(
      (now, _, at) => hear(now, { replicas: 3 + (at % 2), ready: 3 }, at / 10),
      fixed(3),
    );
    expect(flapping.leaving).toHaveLength(1);
  });
});
