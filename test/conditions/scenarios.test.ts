// What a single moment does not show: changing runs, restarts of node and exporter, tags that become known.

import { describe, expect, test } from 'vitest';
import type { Conditions } from '../../src/conditions/condition.ts';
import { primaryNetworkId } from '../../src/protocol/id.ts';
import { drawn } from '../support/cases.ts';
import { saidBy, startDrill, tagSets, targetOf } from '../support/drill.ts';
import { valuesOf } from '../support/watching.ts';

const timeout = 600_000;

const neverReady = (history: readonly Pick<Conditions, 'ready'>[]): number =>
  history.filter(({ ready }) => [...ready.values()].some(({ status }) => status !== 'True')).length;

describe('a node that should serve stays ready and is not restarted', { timeout }, () => {
  test('while a check fails in every other run', async () => {
    const drill = await startDrill();
    await drill.run(300);
    const before = drill.history.length;
    await drill.setFaults([{ fault: 'check-flaps', check: 'network', period: 30, error: 'drill' }]);
    await drill.run(300);
    expect(neverReady(drill.history.slice(before))).toBe(0);
    const page = await drill.watching().page();
    const [flaps = 0] = valuesOf(page, 'snowgauge_check_transitions_total', { check: 'network', to: 'failing' });
    expect(flaps).toBeGreaterThan(3);
  });

  test('after a single missed poll', async () => {
    const drill = await startDrill();
    await drill.run(300);
    const before = drill.history.length;
    await drill.setFaults([{ fault: 'api-silent' }]);
    while (drill.history.length === before) await drill.run(1);
    await drill.setFaults([]);
    await drill.run(120);
    const after = drill.history.slice(before);
    expect(after.filter(({ started }) => started.status === 'False').length).toBe(1);
    expect(neverReady(after)).toBe(0);
    expect(after.map(({ live }) => live.status)).not.toContain('False');
  });

  test('while nothing happens on its chains', async () => {
    const idle = '{ history: 1, blockInterval: 10h }';
    const drill = await startDrill({ scenario: `chains: { P: ${idle}, X: ${idle}, C: ${idle} }` });
    await drill.run(900);
    expect(new Set(Object.values(saidBy(drill.watching().conditions())))).toEqual(new Set(['True']));
    expect(neverReady(drill.history.slice(-10))).toBe(0);
  });

  test('while another one restarts, which is ready again once it has bootstrapped', async () => {
    const [rolled, other] = [await startDrill(), await startDrill()];
    for (const drill of [rolled, other]) await drill.run(300);
    const before = other.history.length;
    await rolled.setFaults([{ fault: 'node-restarts' }]);
    await rolled.run(90);
    await rolled.setFaults([]);
    await rolled.run(600);
    await other.run(690);
    expect(rolled.history.map(({ live }) => live.status)).not.toContain('False');
    expect(rolled.watching().conditions().ready.get('all')).toMatchObject({ status: 'True' });
    expect(targetOf(rolled).restarts).toMatchObject({ count: 1, last: { sign: 'refused' } });
    expect(neverReady(other.history.slice(before))).toBe(0);
    expect(targetOf(other).restarts.count).toBe(0);
  });
});

describe('a node that is restarted', { timeout }, () => {
  test('between two polls is detected by its readiness, which starts over', async () => {
    const drill = await startDrill();
    await drill.run(300);
    await drill.setFaults([{ fault: 'node-restarts' }]);
    await drill.runNodeAlone(1);
    await drill.setFaults([]);
    await drill.run(60);
    expect(targetOf(drill).restarts).toMatchObject({ count: 1, last: { sign: 'readiness' } });
  });

  test('and then hangs at startup is not judged by its previous process', async () => {
    const drill = await startDrill({ period: 5 });
    await drill.run(300);
    await drill.setFaults([{ fault: 'node-restarts' }]);
    await drill.run(60);
    await drill.setFaults([{ fault: 'api-silent' }]);
    await drill.run(150);
    expect(drill.history.map(({ live }) => live.status)).not.toContain('False');
    expect(drill.watching().conditions().live.message).toMatch(/^no response since the process ended: ./);
  });
});

describe('a node with another check interval than configured', { timeout }, () => {
  test.each(
    drawn([
      { period: 5, configured: 30 },
      { period: 300, configured: 30 },
      { period: 5, configured: 300 },
    ]),
  )(
    'that checks every $period s instead of every $configured s is frozen four runs after it stopped, and not after one',
    async (row) => {
      const drill = await startDrill({ period: row.period, target: { healthCheckFrequency: row.configured } });
      const frozen = async () => valuesOf(await drill.watching().page(), 'snowgauge_health_frozen');
      await drill.run(Math.max(20 * row.period, 2 * row.configured));
      expect(
        drill
          .watching()
          .eventHistory.records()
          .map(({ kind }) => kind),
      ).not.toContain('health-frozen');
      expect(await frozen()).toEqual([0]);
      expect(valuesOf(await drill.watching().page(), 'snowgauge_health_check_interval_seconds').map(Math.round)).toEqual([
        row.period,
      ]);
      await drill.setFaults([{ fault: 'time-freezes' }]);
      await drill.run(row.period);
      expect(await frozen()).toEqual([0]);
      await drill.run(3 * row.period);
      expect(await frozen()).toEqual([1]);
    },
  );
});

describe('an exporter that is restarted', { timeout }, () => {
  test('knows a healthy node after its first poll', async () => {
    const drill = await startDrill();
    await drill.run(300);
    drill.restartExporter();
    await drill.run(1);
    expect(neverReady(drill.history.slice(-1))).toBe(0);
  });

  test('next to a node that froze long ago reports it as frozen, not ready and still live', async () => {
    const drill = await startDrill();
    await drill.setFaults([{ fault: 'time-freezes' }]);
    await drill.runNodeAlone(600);
    drill.restartExporter();
    await drill.run(1800);
    expect(neverReady(drill.history)).toBe(drill.history.length);
    expect(drill.watching().conditions()).toMatchObject({ live: { status: 'True' } });
    expect(valuesOf(await drill.watching().page(), 'snowgauge_health_frozen')).toEqual([1]);
  });
});

describe('a recovery that no poll saw', { timeout }, () => {
  test('is counted, and the node stays unready', async () => {
    const drill = await startDrill();
    const failing = [{ fault: 'check-fails' as const, check: 'database', error: 'closed' }];
    await drill.setFaults(failing);
    await drill.run(300);
    await drill.setFaults([]);
    await drill.runNodeAlone(30);
    await drill.setFaults(failing);
    await drill.runNodeAlone(30);
    await drill.run(60);
    const counts = async (to: string) => {
      const labels = { check: 'database', to };
      return valuesOf(await drill.watching().page(), 'snowgauge_check_transitions_total', labels);
    };
    expect(await counts('passing')).toEqual([1]);
    expect(await counts('failing')).toEqual([1]);
    expect(drill.watching().conditions().ready.get('all')).toMatchObject({ status: 'False', failureReasons: ['database'] });
    expect(targetOf(drill).restarts.count).toBe(0);
  });
});

describe('a tag', { timeout }, () => {
  const [
    ,
    ,
    {
      tags: [alpha = ''],
    } = { tags: [] },
  ] = tagSets;

  test('that is one of several is verified on its own', async () => {
    const both = [
      { name: 'all', tags: [] },
      { name: 'both', tags: [alpha, 'no-such-subnet', primaryNetworkId] },
    ];
    const drill = await startDrill({ target: { tagSets: both } });
    await drill.run(120);
    const page = await drill.watching().page();
    expect(valuesOf(page, 'snowgauge_tag_known', { tag: alpha })).toEqual([1]);
    expect(valuesOf(page, 'snowgauge_tag_known', { tag: primaryNetworkId })).toEqual([1]);
    expect(valuesOf(page, 'snowgauge_tag_known', { tag: 'no-such-subnet' })).toEqual([0]);
    expect(drill.watching().conditions().ready.get('both')).toMatchObject({ status: 'Unknown' });
    expect(drill.watching().conditions().ready.get('both')?.message).toContain('no-such-subnet');
  });

  test('of a subnet whose chain appears later becomes known', async () => {
    const drill = await startDrill();
    await drill.setFaults([{ fault: 'check-vanishes', check: 'alpha-dex' }]);
    await drill.run(300);
    const known = () =>
      drill
        .watching()
        .page()
        .then((page) => valuesOf(page, 'snowgauge_tag_known', { tag_set: 'alpha' }));
    expect(await known()).toEqual([0]);
    expect(drill.watching().conditions().ready.get('alpha')).toMatchObject({ status: 'Unknown' });
    await drill.setFaults([]);
    await drill.run(120);
    expect(await known()).toEqual([1]);
    expect(drill.watching().conditions().ready.get('alpha')).toMatchObject({ status: 'True' });
  });

  test('is requested twice at the start and not again while nothing changes', async () => {
    const drill = await startDrill();
    await drill.run(60);
    const sets = tagSets.length;
    const counted = (): number => {
      const counts = targetOf(drill).polls.get('health')?.values() ?? [];
      return [...counts].reduce((sum, count) => sum + count, 0);
    };
    const [polls, calls] = [drill.history.length, counted()];
    await drill.run(900);
    expect(counted() - calls).toBe((drill.history.length - polls) * sets);
  });
});
