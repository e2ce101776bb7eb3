// Discovered subnets are kept across a restart of the exporter, whatever the names of the checks of a node.

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { silentLog } from '../../src/log.ts';
import { openSubnetMemory } from '../../src/memory/subnet-memory.ts';
import { rememberedSubnets } from '../../src/sources/subnets/subnets.ts';
import { newTarget } from '../../src/sources/target-state.ts';
import { listeningLog, temporaryFolder } from '../support/events.ts';
import { judged, targetOptions } from '../support/snapshot.ts';

const url = 'http://127.0.0.1:9650';
const subnet = { id: 'subnet', name: 'my-l1', checks: ['chain'] };
const targets = ['honest', 'hostile'];

/** A target with these known subnets. */
const targetWith = (name: string, known: readonly (typeof subnet)[]) => {
  const state = newTarget(targetOptions({ name, url, writtenTagSets: [] }));
  return judged({ ...state, sources: { ...state.sources, subnets: rememberedSubnets(known) } });
};

test('a check with an empty name is restored, and so are the subnets of the other nodes', async () => {
  const stateDir = await temporaryFolder();
  const memory = await openSubnetMemory({ stateDir, targets }, silentLog);
  const nameless = { ...subnet, checks: [''] };
  await memory.keep(targetWith('honest', [subnet]));
  await memory.keep(targetWith('hostile', [nameless]));
  const { log, said } = listeningLog();
  const next = await openSubnetMemory({ stateDir, targets }, log);
  expect(targets.map((name) => next.recall({ name, url }))).toEqual([[subnet], [nameless]]);
  expect(said).toEqual([]);
});

test('an unreadable entry is logged, and all others are restored', async () => {
  const stateDir = await temporaryFolder();
  const saved = { honest: { url, known: [subnet] }, hostile: { url, known: [{ ...subnet, id: '' }, subnet] }, odd: [] };
  await writeFile(join(stateDir, 'subnets.json'), JSON.stringify({ version: 1, targets: saved }));
  const { log, said } = listeningLog();
  const memory = await openSubnetMemory({ stateDir, targets }, log);
  expect(targets.map((name) => memory.recall({ name, url }))).toEqual([[subnet], [subnet]]);
  const message = 'known subnets of an earlier run unreadable: ignored';
  expect(said).toMatchObject([{ level: 'warn', message, fields: { targets: ['hostile', 'odd'] } }]);
});

test.each([
  { of: 'values', known: '[],'.repeat(250_000) },
  { of: 'levels', known: '['.repeat(100_000) },
])('a file with too many $of is logged and ignored before it is parsed', async ({ known }) => {
  const stateDir = await temporaryFolder();
  await writeFile(join(stateDir, 'subnets.json'), `{"version":1,"targets":{"honest":{"url":"${url}","known":[${known}`);
  const parse = vi.spyOn(JSON, 'parse');
  onTestFinished(() => parse.mockRestore());
  const { log, said } = listeningLog();
  await openSubnetMemory({ stateDir, targets }, log);
  expect(parse).not.toHaveBeenCalled();
  expect(said).toMatchObject([{ level: 'warn', message: 'known subnets of an earlier run unreadable: ignored' }]);
});

test('if a node reports more than fits, its previous subnets are kept', async () => {
  const stateDir = await temporaryFolder();
  const memory = await openSubnetMemory({ stateDir, targets }, silentLog);
  await memory.keep(targetWith('hostile', [subnet]));
  await memory.keep(targetWith('hostile', [{ ...subnet, checks: Array.from({ length: 1000 }, (_, at) => `${at}`) }]));
  const next = await openSubnetMemory({ stateDir, targets }, silentLog);
  expect(next.recall({ name: 'hostile', url })).toEqual([subnet]);
});
