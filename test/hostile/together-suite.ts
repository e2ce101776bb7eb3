// Hostile nodes beside an honest one, watched by one process with the image's flags and the heap of its container: what each is told by.

import { describe, expect, test } from 'vitest';
import { pollsOf, serveHonest, watchBeside } from './beside.ts';
import { hostileNodes, serveHostile } from './hostile-nodes.ts';

/** Polls of each that are waited for. */
const rounds = 3;

/** As many as are watched by one process. */
const together = 5;

const all = Array.from({ length: Math.ceil(hostileNodes.length / together) }, (_, at) =>
  hostileNodes.slice(at * together, (at + 1) * together).map((node, nth) => ({ ...node, name: `hostile-${nth}` })),
);

/** Half a minute for all of them is too long for the suites. */
export const [someGroups, otherGroups] = [all.slice(0, 1), all.slice(1)];

export const togetherSuite = (groups: typeof all): void =>
  describe.each(groups.map((group) => ({ group, nodes: group.map(({ node }) => node).join(' · ') })))('$nodes', ({ group }) => {
    test('end no process, are told by their outcome, and leave the watch of the others as it was', async () => {
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
      // 200 checks of each, and 1000 that are counted.
      expect(series.length).toBeLessThan(group.length * 10_000);
      for (const { labels } of series) for (const value of labels.values()) expect(value.length).toBeLessThanOrEqual(200);
      for (const line of watching.log().split('\n')) expect(line.length).toBeLessThan(25_000);
      expect(watching.log()).not.toContain('internal-error');
      expect(await watching.livez()).toBeGreaterThan(0);
      console.log(`${group.map(({ node }) => node).join(', ')}: ${watching.residentMiB().toFixed(0)} MiB`);
    });
  });
