// Hostile nodes and an honest one, watched by one process with the image's flags and the heap of its container.

import { describe, expect, test } from 'vitest';
import { pollsOf, serveHonest, watchBeside } from './beside.ts';
import { hostileNodes, serveHostile } from './hostile-nodes.ts';

/** Polls of each to wait for. */
const rounds = 3;

/** Hostile nodes per process. */
const together = 5;

const all = Array.from({ length: Math.ceil(hostileNodes.length / together) }, (_, at) =>
  hostileNodes.slice(at * together, (at + 1) * together).map((node, nth) => ({ ...node, name: `hostile-${nth}` })),
);

/** All of them take half a minute, which is too long for the suites. */
export const [someGroups, otherGroups] = [all.slice(0, 1), all.slice(1)];

export const togetherSuite = (groups: typeof all): void =>
  describe.each(groups.map((group) => ({ group, nodes: group.map(({ node }) => node).join(' · ') })))('$nodes', ({ group }) => {
    test('do not end the process, are counted by their outcome, and do not affect the polls of an honest node', async () => {
      const honest = await serveHonest();
      const targets = await Promise.all(
        group.map(async (one) => ({ name: one.name, url: (await serveHostile(one)).url, tagSets: one.tagSets })),
      );
      const watching = await watchBeside([{ name: 'honest', url: honest.url }, ...targets]);
      for (const { name, outcome, node } of group)
        await expect
          .poll(async () => (watching.isAlive() ? pollsOf(await watching.page(), name, outcome) : -1), {
            message: node,
          })
          .toBeGreaterThanOrEqual(rounds);
      expect(watching.isAlive()).toBe(true);
      const asked = honest.askedAt.length;
      await expect.poll(() => honest.askedAt.length).toBeGreaterThan(asked + 2);
      const series = await watching.page();
      expect(pollsOf(series, 'honest', 'ok')).toBeGreaterThan(asked);
      // Series of 200 checks per node, and of 1000 that are only counted.
      expect(series.length).toBeLessThan(group.length * 10_000);
      for (const { labels } of series) for (const value of labels.values()) expect(value.length).toBeLessThanOrEqual(200);
      for (const line of watching.log().split('\n')) expect(line.length).toBeLessThan(25_000);
      expect(watching.log()).not.toContain('internal-error');
      expect(await watching.livez()).toBeGreaterThan(0);
      console.log(`${group.map(({ node }) => node).join(', ')}: ${watching.residentMiB().toFixed(0)} MiB`);
    });
  });
