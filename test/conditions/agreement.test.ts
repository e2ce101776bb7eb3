// CLI, probe, page, API and metric give the same conditions for the same report.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import * as z from 'zod/mini';
import type { Status, Target } from '../../src/conditions/condition.ts';
import { createPage } from '../../src/metrics/page.ts';
import { primaryNetworkId } from '../../src/protocol/id.ts';
import { createRoutes } from '../../src/server/routes.ts';
import { capturedReports } from '../support/captures.ts';
import { cases } from '../support/cases.ts';
import { fileOf, typed } from '../support/command.ts';
import { stateOf } from '../support/exporter-server.ts';
import { parseExposition } from '../support/exposition-parser.ts';
import { exporterBeside, type NodeSays, type Report, serveReports } from '../support/judged-node.ts';
import { bytesOf } from '../support/metrics.ts';
import { targetOptions } from '../support/snapshot.ts';
import { valuesOf } from '../support/watching.ts';

const mine = '2bRCr6B4MiEfSjidDwxDpdCyviwnfUVqB2HGwhm947w9YYqb7r';
const tagSets = [
  { name: 'all', tags: [] },
  { name: 'mine', tags: [mine] },
];

/** The conditions of a tag set as one output shows them; absent if it does not show one. */
interface Said {
  readonly healthy?: string;
  readonly ready?: string;
}

type Says = (target: Target, now: number, tagSet: string) => Promise<Said>;

const conditionsJson = z.array(z.object({ type: z.string(), status: z.string() }));

const ofJson = (conditions: z.output<typeof conditionsJson>): Said => {
  const of = (type: string) => conditions.find((one) => one.type === type)?.status ?? 'absent';
  return { healthy: of('Healthy'), ready: of('Ready') };
};

const pages = createPage({ version: 'test' });
let version = 0;

const routed = async (target: Target, now: number, path: string): Promise<{ readonly status: number; readonly body: string }> => {
  version += 1;
  const targets = new Map([[target.state.options.name, target]]);
  const reload = { successful: true, succeededAt: now };
  const routes = createRoutes({
    state: () => stateOf(targets),
    lastTick: () => now,
    metrics: () => pages.at({ targets, version, wallOffset: 0, reload }, now, undefined, undefined),
    now: () => now,
    version: 'test',
  });
  const sender = { address: '', headers: {}, body: async () => undefined, mayTake: () => undefined };
  const answer = await routes({ method: 'GET', target: path, client: '', accept: undefined, acceptEncoding: undefined, sender });
  if (answer === 'events') throw new Error('a stream');
  return { status: answer.status, body: bytesOf(answer.body).toString() };
};

const commandJson = z.object({ for: z.string(), conditions: conditionsJson });
const exits: Readonly<Record<number, string>> = { 0: 'True', 1: 'False', 3: 'Unknown' };
const realNow = (): number => Date.now() / 1000;

const command = (name: 'check' | 'explain', goal: 'healthy' | 'ready'): Says => {
  return async ({ state: { options } }, _, tagSet) => {
    const tags = tagSets.find((one) => one.name === tagSet)?.tags.flatMap((tag) => ['--tag', tag]) ?? [];
    const argv = [name, options.url, ...tags, '--for', goal, '--timeout', '50s'];
    const json = await typed([...argv, '--output', 'json'], { now: realNow });
    const said = ofJson(z.parse(commandJson, JSON.parse(json.stdout)).conditions);
    const text = await typed(argv, { now: realNow });
    const lines = new Map(text.stdout.split('\n').map((line) => [line.split(':')[0], line.split(' ')[1]]));
    expect({ healthy: lines.get('healthy'), ready: lines.get('ready') }).toEqual(said);
    expect([exits[text.code], exits[json.code]]).toEqual([said[goal], said[goal]]);
    return said;
  };
};

const waited: Says = async ({ state: { options } }, _, tagSet) => {
  const tags = tagSets.find((one) => one.name === tagSet)?.tags.flatMap((tag) => ['--tag', tag]) ?? [];
  const flags = ['--for', 'live', '--quiet', '--request-timeout', '50s', '--output', 'json'];
  const { stdout } = await typed(['wait', options.url, ...tags, ...flags], { now: realNow });
  return ofJson(z.parse(commandJson, JSON.parse(stdout)).conditions);
};

const probed: Says = async (target, now, tagSet) => {
  const self = await routed(target, now, `/self/readyz/${tagSet}`);
  const named = await routed(target, now, `/targets/node/readyz/${tagSet}`);
  expect(self).toEqual(named);
  const [, ready = '', healthy = ''] = /^(\w+) .*\nhealthy (\w+) .*\n$/.exec(self.body) ?? [];
  expect(self.status).toBe(ready === 'True' ? 200 : 503);
  return { ready, healthy };
};

const statusJson = z.object({
  targets: z.array(z.object({ tagSets: z.array(z.object({ name: z.string(), conditions: conditionsJson })) })),
});

const api: Says = async (target, now, tagSet) => {
  const { targets } = z.parse(statusJson, JSON.parse((await routed(target, now, '/api/v1/status')).body));
  return ofJson(targets[0]?.tagSets.find(({ name }) => name === tagSet)?.conditions ?? []);
};

const words: Readonly<Record<string, Status>> = {
  ready: 'True',
  'not ready': 'False',
  unknown: 'Unknown',
  healthy: 'True',
  unhealthy: 'False',
};

const page: Says = async (target, now, tagSet) => {
  const { body } = await routed(target, now, '/');
  const row = body.split(`data-key="${tagSet}"`)[1] ?? '';
  const [ready, healthy] = [...row.matchAll(/class="mark \w+"><span[^>]*>[^<]*<\/span> ([^<]*)</g)].map(([, word]) => word ?? '');
  return { healthy: words[healthy ?? ''] ?? `"${healthy}"`, ready: words[ready ?? ''] ?? `"${ready}"` };
};

const metric: Says = async (target, now, tagSet) => {
  const { body } = await routed(target, now, '/metrics');
  const series = parseExposition(body, 'text').flatMap((family) => family.series);
  const of = (condition: string): string => {
    const statuses = ['true', 'false', 'unknown'].map(
      (status) => valuesOf(series, 'snowgauge_target_condition', { condition, tag_set: tagSet, status })[0],
    );
    return { '1,0,0': 'True', '0,1,0': 'False', '0,0,1': 'Unknown' }[statuses.join()] ?? statuses.join();
  };
  return { healthy: of('Healthy'), ready: of('Ready') };
};

const says: Readonly<Record<string, Says>> = {
  check: command('check', 'healthy'),
  'check --for ready': command('check', 'ready'),
  explain: command('explain', 'ready'),
  wait: waited,
  probe: probed,
  api,
  page,
  metric,
};

/** The conditions of each tag set; fails if two outputs differ. */
const agreedOn = async (node: NodeSays): Promise<Readonly<Record<string, Said>>> => {
  const { url, close } = await serveReports(node);
  const target = await exporterBeside(targetOptions({ url, tagSets }), realNow);
  const agreed: Record<string, Said> = {};
  for (const { name } of tagSets) {
    const { healthy, ready } = target.conditions;
    const expected = { healthy: healthy.get(name)?.status ?? '', ready: ready.get(name)?.status ?? '' };
    const said = await Promise.all(
      Object.entries(says).map(async ([who, say]) => [`${who} of ${name}`, await say(target, realNow(), name)] as const),
    );
    for (const [who, { healthy: h = expected.healthy, ready: r = expected.ready }] of said)
      expect(`${who}: healthy ${h}, ready ${r}`).toBe(`${who}: healthy ${expected.healthy}, ready ${expected.ready}`);
    agreed[name] = expected;
  }
  await close();
  return agreed;
};

const stamped = (secondsAgo: number): string => new Date(Date.now() - secondsAgo * 1000).toISOString();

const errors = {
  stake: 'not connected to enough stake: connected to 60.000000%; required at least 80.000000%',
  blocks: 'engine: block processing too long: 47s > 30s',
  bootstrapping: 'subnets not bootstrapped',
  peers: 'network layer is unhealthy reason: not connected to a minimum of 1 peer(s) only 0',
} as const;

const passed = { duration: 1000 };
const failed = (error: string) => ({ ...passed, error, contiguousFailures: 2, timeOfFirstFailure: '2026-11-20T12:00:00Z' });

const result = fc.oneof(
  { weight: 8, arbitrary: fc.constant(passed) },
  fc.constantFrom(...Object.values(errors)).map(failed),
  fc.string().map(failed),
  fc.constant({ error: 'not yet run', timestamp: '0001-01-01T00:00:00Z' }),
);

const bootstrapped = fc.oneof(
  { weight: 2, arbitrary: fc.constant(passed) },
  fc
    .constantFrom<unknown>([mine], ['another'], [primaryNetworkId, 'another'], [], 'soon')
    .map((message) => ({ ...failed(errors.bootstrapping), message })),
);

const common = fc.record({ bootstrapped, network: result, diskspace: result });
const chain = fc.record({ 'my-l1': result });

/** Seconds since the last run: current, older than three intervals, and older than anything that is not frozen. */
const ages = fc.constantFrom(3, 300, 1200);

interface Generated {
  readonly shared: Readonly<Record<string, object>>;
  readonly own: Readonly<Record<string, object>>;
  readonly others: Readonly<Record<string, object>>;
  readonly readiness: object | undefined;
  readonly age: number;
  /** The report of the whole node contradicts its checks. */
  readonly lies: boolean;
}

const generated: fc.Arbitrary<Generated> = fc.record({
  shared: common,
  own: fc.oneof({ weight: 4, arbitrary: chain }, fc.constant({})),
  others: fc.record({ P: result, C: result }),
  readiness: fc.oneof(
    bootstrapped.map((one): object | undefined => one),
    fc.constant(undefined),
  ),
  age: ages,
  lies: fc.oneof({ weight: 5, arbitrary: fc.constant(false) }, fc.constant(true)),
});

const nodeOf = ({ shared, own, others, readiness, age, lies }: Generated): NodeSays => {
  const timestamp = stamped(age);
  const reportOf = (checks: Readonly<Record<string, object>>): Report => {
    const passes = !Object.values(checks).some((check) => 'error' in check);
    const run = Object.entries(checks).map(([name, check]) => [name, { timestamp, ...check }]);
    return { healthy: passes !== lies, checks: Object.fromEntries(run) };
  };
  return {
    health: { '': reportOf({ ...others, ...shared, ...own }), [mine]: reportOf({ ...shared, ...own }) },
    common: reportOf(shared),
    ...(readiness !== undefined && { readiness: { ...reportOf({ bootstrapped: readiness }), healthy: !('error' in readiness) } }),
  };
};

const calm: Generated = {
  shared: { bootstrapped: passed, network: passed, diskspace: passed },
  own: { 'my-l1': passed },
  others: { P: passed, C: passed },
  readiness: passed,
  age: 3,
  lies: false,
};

/** Covers every pair of statuses, whatever is generated. */
const examples: [Generated][] = [
  [calm],
  [{ ...calm, others: { P: passed, C: failed(errors.stake) } }],
  [{ ...calm, shared: { ...calm.shared, network: failed(errors.peers) } }],
  [{ ...calm, age: 300 }],
  [{ ...calm, age: 1200 }],
  [{ ...calm, own: {} }],
];

describe('all outputs agree', { timeout: 600_000 }, () => {
  test('for any generated report', async () => {
    const seen = new Set<string>();
    await fc.assert(
      fc.asyncProperty(generated, async (node) => {
        for (const { healthy, ready } of Object.values(await agreedOn(nodeOf(node)))) seen.add(`${healthy} ${ready}`);
      }),
      { numRuns: cases(40), examples },
    );
    for (const both of ['True True', 'False False', 'False True', 'Unknown Unknown']) expect([...seen]).toContain(both);
  });

  const bare = [...new Map(capturedReports().map((one) => [JSON.stringify(one.report), one])).values()];

  test.each(bare)('for the captured $name, requested or saved', async ({ name, report }) => {
    const { all = {} } = await agreedOn({ health: { '': report }, common: report, readiness: { healthy: true, checks: {} } });
    const saved = async (goal: 'healthy' | 'ready'): Promise<Said> => {
      const { stdout, code } = await typed(['check', '-f', await fileOf(report), '--for', goal, '--output', 'json']);
      const said = ofJson(z.parse(commandJson, JSON.parse(stdout)).conditions);
      expect(exits[code]).toBe(said[goal]);
      return said;
    };
    const said = await saved('healthy');
    expect(await saved('ready')).toEqual(said);
    const isEmpty = Object.keys(report.checks).length === 0;
    // The age of a file is unknown; the captured timestamps are old, so the exporter does not believe a True.
    const believed = (status: string | undefined) => (status === 'Unknown' && !isEmpty ? 'True' : status);
    expect(`${name} ${said.healthy} ${said.ready}`).toBe(`${name} ${believed(all.healthy)} ${believed(all.ready)}`);
  });

  test('for a node with too little connected stake: unhealthy but ready', async () => {
    const low = { C: { ...failed(errors.stake), timestamp: stamped(3) }, 'my-l1': { ...passed, timestamp: stamped(3) } };
    const report = { healthy: false, checks: low };
    const { C: _, ...own } = low;
    const node = { health: { '': report, [mine]: { healthy: true, checks: own } }, common: { healthy: true, checks: {} } };
    expect(await agreedOn(node)).toEqual({
      all: { healthy: 'False', ready: 'True' },
      mine: { healthy: 'True', ready: 'True' },
    });
  });
});
