// A healthy node and an exporter with default settings, and the shipped rules: no alert fires in normal operation. The node and the
// exporter run over real sockets in simulated time, and promtool evaluates the rules on the scraped pages.

import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import * as z from 'zod/mini';
import { targetFrom } from '../../src/config/target.ts';
import { defaultNodeOptions } from '../../src/node/options.ts';
import type { FaultNow } from '../../src/node/play.ts';
import { type Drill, type Given, start, startDrill } from '../support/drill.ts';
import type { Series } from '../support/exposition-parser.ts';
import { describeWith } from '../support/tools.ts';

const shipped = fileURLToPath(new URL('../../deploy/prometheus/snowgauge.rules.yaml', import.meta.url));
const timeout = 600_000;
const halfAnHour = 1800;

/** A fixed disk: an alert about this machine's own disk may be right. */
const calmDisk: FaultNow = { fault: 'disk-fills', availablePercentage: 60, availableBytes: 600_000_000_000 };
const { options } = targetFrom();

interface World {
  readonly when: string;
  readonly given?: Given;
  readonly seconds?: number;
  /** Seconds between two scrapes, and between two rule evaluations; by default those of the chart. */
  readonly every?: number;
  /** Faults of the node by their start, in seconds. */
  readonly goesThrough?: readonly { readonly at: number; readonly faults: readonly FaultNow[] }[];
  /** Alerts that must fire. */
  readonly fires?: readonly string[];
}

const mine = '2bRCr6B4MiEfSjidDwxDpdCyviwnfUVqB2HGwhm947w9YYqb7r';

const worlds: readonly World[] = [
  { when: 'has its default flags, for three hours, at the default intervals of Prometheus', seconds: 10_800, every: 60 },
  { when: 'has its indexes on', given: { node: { indexEnabled: true } } },
  { when: 'starts with the exporter', given: { rounds: 1 } },
  {
    when: 'is restarted, at the intervals of deploy/prometheus',
    given: { node: { indexEnabled: true } },
    every: 15,
    goesThrough: [
      { at: 600, faults: [{ fault: 'node-restarts' }] },
      { at: 660, faults: [] },
    ],
  },
  {
    when: 'begins to validate a subnet, so that new checks appear',
    given: { network: `subnets: [{ name: mine, id: ${mine}, chains: [{ alias: my-l1 }] }]` },
    goesThrough: [
      { at: 0, faults: [{ fault: 'check-vanishes', check: 'my-l1' }] },
      { at: 900, faults: [] },
    ],
  },
  {
    when: 'has a tag set whose tag matches nothing',
    given: { target: { tagSets: [...options.tagSets, { name: 'mine', tags: [mine] }] } },
  },
  // Proves that an alert would be seen.
  {
    when: 'loses its indexes',
    given: { node: { indexEnabled: true } },
    goesThrough: [{ at: 300, faults: [{ fault: 'api-status', status: 404, path: '/ext/index' }] }],
    fires: ['SnowgaugeIndexOff'],
  },
];

/** One value per scrape for each series. */
type Scraped = Map<string, string[]>;

const nameOf = ({ name, labels }: Series): string => {
  const all = [...labels, ['job', 'snowgauge'], ['instance', '10.0.0.1:9652']];
  return `${name}{${all.map(([label, value]) => `${label}=${JSON.stringify(value)}`).join(',')}}`;
};

/** promtool's clock begins at 0. */
const sampleOf = ({ name, value }: Series): string => String(name.endsWith('_timestamp_seconds') ? value - start : value);

/** Like Prometheus: a series that is missing from a page gets a stale marker. */
const scrape = (all: Scraped, page: readonly Series[], at: number): void => {
  const up: Series = { name: 'up', labels: new Map(), value: 1 };
  const now = new Map([...page, up].map((one) => [nameOf(one), sampleOf(one)]));
  for (const name of now.keys())
    if (!all.has(name))
      all.set(
        name,
        Array.from({ length: at }, () => '_'),
      );
  for (const [name, values] of all)
    values.push(now.get(name) ?? (values.at(-1) === '_' || values.at(-1) === 'stale' ? '_' : 'stale'));
};

const scrapes = async (drill: Drill, { seconds = halfAnHour, every = 30, goesThrough = [] }: World): Promise<Scraped> => {
  const all: Scraped = new Map();
  for (let at = 0; at * every < seconds; at += 1) {
    const event = goesThrough.find((one) => one.at === at * every);
    if (event !== undefined) await drill.setFaults([calmDisk, ...event.faults]);
    await drill.run(every);
    scrape(all, await drill.watching().page(), at);
  }
  return all;
};

const output = z.object({ stdout: z.string(), stderr: z.string() });
const ruleFile = z.object({ groups: z.array(z.object({ name: z.string() })) });

const played = async (all: Scraped, { seconds = halfAnHour, every = 30, fires = [] }: World): Promise<string> => {
  const { groups } = z.parse(ruleFile, parse(await readFile(shipped, 'utf8')));
  return JSON.stringify({
    rule_files: [shipped],
    evaluation_interval: `${every}s`,
    group_eval_order: groups.map(({ name }) => name),
    tests: [
      {
        interval: `${every}s`,
        input_series: Array.from(all, ([series, values]) => ({ series, values: values.join(' ') })),
        promql_expr_test: [
          {
            expr: `group by (alertname) (max_over_time(ALERTS{alertstate="firing", alertname!="SnowgaugeWatchdog"}[${seconds}s]))`,
            eval_time: `${seconds - every}s`,
            exp_samples: fires.map((name) => ({ labels: `{alertname="${name}"}`, value: 1 })),
          },
        ],
      },
    ],
  });
};

describeWith(['promtool3'], 'only expected alerts fire when a healthy node', (promtool) => {
  test.each(worlds)('$when', { timeout }, async (world) => {
    const { given } = world;
    const folder = await mkdtemp(join(tmpdir(), 'snowgauge-quiet-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const { name: _, url: __, ...target } = options;
    const drill = await startDrill({
      network: '',
      ...given,
      node: { dialect: defaultNodeOptions.dialect, ...given?.node },
      target: { ...target, ...given?.target },
    });
    await drill.setFaults([calmDisk]);
    const file = join(folder, 'quiet.test.yaml');
    await writeFile(file, await played(await scrapes(drill, world), world));
    const said = await promisify(execFile)(promtool, ['test', 'rules', file]).catch((error: unknown) => error);
    const { stdout, stderr } = z.parse(output, said);
    expect(stdout + stderr).toContain('SUCCESS');
  });
});
