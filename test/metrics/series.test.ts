// The number of series per target, and their labels: configured labels are on all series of the target, and on no other.

import { spawnSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { definitions } from '../../src/metrics/families.ts';
import { ownFamilies } from '../../src/metrics/own.ts';
import { type Format, render } from '../../src/metrics/text.ts';
import { primaryNetworkId } from '../../src/protocol/id.ts';
import { capturedReports } from '../support/captures.ts';
import { parseExposition, type Series, seriesKey } from '../support/exposition-parser.ts';
import { build, contributed, reload } from '../support/metrics.ts';
import { roundsToSettle, startTestNode } from '../support/node.ts';
import { parseHealthReport } from '../support/reports.ts';
import { richTarget } from '../support/rich.ts';
import { fresh, judged, noon, targetKnowing, targetOptions } from '../support/snapshot.ts';
import { describeWith } from '../support/tools.ts';
import { watch } from '../support/watching.ts';

const most = 300;

const mine = 'DdGSME2XkcZDyjhZ5dPpHQexHr4WAbXrmDL8wKwEdQsDBJuqQ';

const tagSets = [
  { name: 'all', tags: [] },
  { name: 'primary', tags: [primaryNetworkId] },
  { name: 'mine', tags: [mine] },
  { name: 'both', tags: [primaryNetworkId, mine] },
];

const indexes = ['P/block', 'X/block', 'C/block'] as const;

/** The series of the page that have a target label. */
const ofTarget = (series: readonly Series[]): readonly Series[] => series.filter(({ labels }) => labels.has('target'));

describe(`a node with 4 tag sets, 10 checks and 3 indexes costs at most ${most} series`, () => {
  test('for an embedded node, after enough polls for every family', async () => {
    let now = 1_800_000_000;
    const node = await startTestNode(
      { indexEnabled: true, dialect: 'avalanchego' },
      `{ chains: { P: { blockInterval: 5s }, X: { blockInterval: 5s }, C: { blockInterval: 5s } },
         subnets: [{ name: mine, id: ${mine}, chains: [{ alias: my-l1 }] }] }`,
    );
    await node.ticks(roundsToSettle);
    const watching = watch(node.url, () => now, { tagSets, indexes }, { maxBodyBytes: 2 ** 20 });
    for (let poll = 0; poll < 20; poll += 1) {
      await watching.poll();
      now += 5;
      node.advance(5);
      await node.ticks(1);
    }
    await watching.poll();
    const series = ofTarget(await watching.page());
    const names = new Set(series.map(({ name }) => name));
    const checks = series.filter(({ name }) => name === 'snowgauge_check_healthy');
    expect(checks.length).toBeGreaterThanOrEqual(10);
    // No family is missing that would appear later.
    for (const family of ['tag_known', 'clock_skew_seconds', 'health_frozen', 'index_height_drift', 'index_verified_index'])
      expect([...names]).toContain(`snowgauge_${family}`);
    expect(series.length, `${series.length} series of ${checks.length} checks`).toBeLessThanOrEqual(most);
    expect(new Set(series.map(seriesKey)).size).toBe(series.length);
  });

  test('for the captured reports of a real node', async () => {
    const captured = new Map(capturedReports().map(({ name, report }) => [name, parseHealthReport(report)]));
    const of = (name: string) => {
      const found = captured.get(`healthy/${name}.json`);
      if (found === undefined) throw new Error(`no capture ${name}`);
      return fresh(found);
    };
    const { sources: rich, ...known } = richTarget();
    const target = targetKnowing(targetOptions({ tagSets, indexes }), {
      interval: known.interval,
      clock: known.clock,
      progress: known.progress,
      health: {
        all: of('001-get-health'),
        primary: of('006-get-health-tag-primary'),
        mine: of('008-get-health-tag-garbage'),
        both: of('022-get-health-tag-subnet-and-primary'),
      },
      readiness: rich.readiness,
      liveness: rich.liveness,
      indexes: Object.fromEntries(
        indexes.map((index) => [index, rich.indexes.watched.get('P/block')?.head ?? { state: 'pending' }]),
      ),
      tags: { adds: new Map([primaryNetworkId, mine].map((tag) => [tag, true])), toAsk: 0, open: [] },
    });
    const checks = target.sources.health.reports.get('all');
    expect(checks).toMatchObject({ state: 'fresh' });
    const series = parseExposition(await contributed(judged(target)), 'text').flatMap((family) => family.series);
    expect(series.length, `${series.length} series`).toBeLessThanOrEqual(most);
  });
});

describe('the configured labels of a target', () => {
  const labels = { site: 'ams', rack: 'a "quoted" \\ one' };
  const labelled = { ...richTarget(), options: { ...richTarget().options, labels } };

  test.each<Format>(['text', 'openmetrics'])('are on every series of the target, in %s', async (format) => {
    const text = await contributed(judged(labelled), noon, format);
    const series = parseExposition(format === 'text' ? text : `${text}# EOF\n`, format).flatMap((family) => family.series);
    expect(series.length).toBeGreaterThan(100);
    for (const one of series) expect(Object.fromEntries(one.labels)).toMatchObject(labels);
    const plain = parseExposition(await contributed(judged(richTarget())), 'text').flatMap((family) => family.series);
    expect(series).toHaveLength(plain.length);
  });

  test('are on no series of the exporter', () => {
    const text = render(ownFamilies(build, reload), 'text');
    for (const { labels: own } of parseExposition(text, 'text').flatMap((family) => family.series))
      expect([...own.keys()].filter((name) => name in labels)).toEqual([]);
  });

  test('may have any name except these reserved ones', () => {
    // Families of shards have no target labels.
    const shared = definitions.filter(({ name }) => !name.startsWith('snowgauge_shard'));
    const ours = new Set(shared.flatMap((one) => one.labels));
    expect([...ours].sort()).toMatchInlineSnapshot(`
      [
        "api",
        "chain",
        "check",
        "condition",
        "field",
        "index",
        "kind",
        "network",
        "node_id",
        "outcome",
        "reason",
        "source",
        "state",
        "status",
        "subnet",
        "tag",
        "tag_set",
        "target",
        "to",
        "upgrade",
        "url",
        "version",
      ]
    `);
  });
});

test('a family of a target is on the page once, with HELP, TYPE and at least one sample', async () => {
  const families = (await contributed(judged(richTarget()))).split(/^(?=# HELP )/m);
  const names = families.map((family) => /^# HELP (\S+) .+\n/.exec(family)?.[1] ?? '');
  expect(new Set(names).size).toBe(names.length);
  for (const [at, name] of names.entries())
    expect(families[at]).toMatch(new RegExp(`^# HELP ${name} .+\n# TYPE ${name} \\w+\n(${name}\\S* \\S+\n|${name}.+} \\S+\n)+$`));
});

for (const tool of ['promtool', 'promtool3'])
  describeWith([tool], `${tool} check metrics`, (promtool) => {
    test('accepts every family of targets and exporter', async () => {
      const labelled = { ...richTarget(), options: { ...richTarget().options, labels: { site: 'ams' } } };
      const own = ownFamilies(build, reload, {
        eventHistory: { writeFailures: 0, lost: 0, withheld: 0 },
        podLabels: { current: true, succeededAt: noon, patches: new Map([['ok', 1]]) },
      });
      const page = (await contributed(judged(labelled))) + render(own, 'text');
      const { status, stdout, stderr } = spawnSync(promtool, ['check', 'metrics'], { input: page, encoding: 'utf8' });
      expect([status, stdout, stderr]).toEqual([0, '', '']);
    });
  });
