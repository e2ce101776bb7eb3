// The scenario file: its documentation, its errors, and when its faults are active.

import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { faultsAt, parseScenario, plannedChains, quietScenario, subnetIdOf } from '../../src/node/scenario.ts';
import { faultSchema } from '../../src/node/scenario-grammar.ts';
import { primaryNetworkId } from '../../src/protocol/id.ts';
import { scenarioFrom } from '../support/node.ts';

const page = readFileSync(new URL('../../docs/scenario.md', import.meta.url), 'utf8');
/** The network for examples that define none. */
const network = 'subnets: [{ name: mine, l1: {}, chains: [{ alias: my-l1 }] }]\n';
const examples = [...page.matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, yaml = '']) =>
  yaml.includes('subnets:') ? yaml : network + yaml,
);

test.each(examples.map((example) => [example]))('docs/scenario.md: this example is a valid scenario:\n%s', async (example) => {
  expect(await parseScenario(example)).toMatchObject({ kind: 'ok' });
});

test('docs/scenario.md shows every fault', async () => {
  const shown = await Promise.all(
    examples.map(async (example) => (await scenarioFrom(example)).faults.map(({ fault }) => fault)),
  );
  const kinds = faultSchema._zod.def.options.map((option) => option._zod.def.shape.fault._zod.def.values[0]);
  expect([...new Set(shown.flat())].sort()).toEqual([...kinds].sort());
});

test('an empty file gives the quiet network', async () => {
  expect(await scenarioFrom('')).toEqual(quietScenario);
});

const someId = 'DdGSME2XkcZDyjhZ5dPpHQexHr4WAbXrmDL8wKwEdQsDBJuqQ';

test.each([
  ['faults: [{ fault: check-fails, at: 5, check: P }]', 'faults[0].at'],
  ['faults: [{ fault: chekc-fails, at: 5s }]', 'faults[0]'],
  ['faults: [{ fault: time-freezes, at: 5s, check: P }]', 'faults[0]'],
  ['faults: [{ fault: time-freezes, at: 5s, every: 1m }]', 'faults[0].every'],
  ['faults: [{ fault: node-restarts, at: 5s }]', 'faults[0].for'],
  ['faults: [{ fault: disk-fills, at: 5s }]', 'faults[0]'],
  ['faults: [{ fault: check-fails, at: 5s, check: netwrok }]', 'faults[0].check'],
  ['faults: [{ fault: chain-stuck, at: 5s, chain: Q }]', 'faults[0].chain'],
  ['faults: [{ fault: subnet-bootstraps, at: 5s, subnet: mine }]', 'faults[0].subnet'],
  ['subnets: [{ name: a, id: nonsense }]', 'subnets[0].id'],
  ['subnets: [{ name: a }, { name: a }]', 'subnets[1].name'],
  [`subnets: [{ name: a, id: ${someId} }, { name: b, id: ${someId} }]`, 'subnets[1].id'],
  ['subnets: [{ name: a, chains: [{ alias: x }] }, { name: b, chains: [{ alias: x }] }]', 'subnets[1].chains[0].alias'],
  [`subnets: [{ name: a, chains: [{ id: ${someId} }, { alias: x, id: ${someId} }] }]`, 'subnets[0].chains[1].id'],
  ['subnets: [{ name: a, chains: [{ alias: C }] }]', 'subnets[0].chains[0].alias'],
  ['subnets: [{ name: a, chains: [{ alias: network }] }]', 'subnets[0].chains[0].alias'],
  ['utcOffset: "5:30"', 'utcOffset'],
  ['chains: { Q: { history: 5 } }', 'chains'],
])('%s is an error at %s, reported with its line', async (yaml, path) => {
  const parsed = await parseScenario(`# a comment\n${yaml}`);
  expect(parsed).toMatchObject({ kind: 'invalid', errors: [{ line: 2, path: expect.stringContaining(path) }] });
});

test('a path without its slash is an error that says what to write', async () => {
  const parsed = await parseScenario('faults: [{ fault: api-silent, at: 5s, path: ext/health }]');
  expect(parsed).toMatchObject({ errors: [{ path: 'faults[0].path', message: '"ext/health" must begin with /' }] });
});

test.each([
  [0, []],
  [9.9, []],
  [10, [10]],
  [14.9, [10]],
  [15, []],
  [40, [40]],
  [44.9, [40]],
  [45, []],
  [3011, [3010]],
])('a fault at 10s for 5s every 30s: after %d s, those started at %j are active', async (elapsed, since) => {
  const scenario = await scenarioFrom('faults: [{ fault: time-freezes, at: 10s, for: 5s, every: 30s }]');
  expect(faultsAt(scenario, elapsed).map((fault) => fault.since)).toEqual(since);
});

test('a fault without `for` stays active', async () => {
  const scenario = await scenarioFrom('faults: [{ fault: time-freezes, at: 10s }]');
  expect(faultsAt(scenario, 1e6)).toMatchObject([{ fault: 'time-freezes', since: 10 }]);
});

test('plans P first, and gives chains and subnets without an id the same id each time', async () => {
  const yaml = 'chains: { X: null }\nsubnets: [{ name: a, chains: [{ alias: "1" }, {}] }]';
  const [once, again] = [plannedChains(await scenarioFrom(yaml)), plannedChains(await scenarioFrom(yaml))];
  expect(once).toEqual(again);
  expect(once.map(({ name }) => name)).toEqual(['P', 'C', '1', once[3]?.id]);
  expect(new Set(once.map(({ id }) => id)).size).toBe(4);
});

test('finds a subnet by its name, its id, or primary', async () => {
  const scenario = await scenarioFrom('subnets: [{ name: a }]');
  const id = subnetIdOf(scenario, 'a');
  expect(subnetIdOf(scenario, id)).toBe(id);
  expect(subnetIdOf(scenario, 'primary')).toBe(primaryNetworkId);
});
