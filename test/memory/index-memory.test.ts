// Enabled indexes are kept across a restart of the exporter, so that `indexes: auto` still watches them.

import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { silentLog } from '../../src/log.ts';
import { openIndexMemory } from '../../src/memory/index-memory.ts';
import { listeningLog, temporaryFolder } from '../support/events.ts';
import { roundsToSettle, startTestNode } from '../support/node.ts';
import { patience, startRun } from '../support/run-process.ts';

const saved = { node: { url: 'http://127.0.0.1:9650', known: ['P/block', 'C/block'] } };

const opened = async (text: string, targets = ['node'], log = silentLog) => {
  const stateDir = await temporaryFolder();
  await writeFile(join(stateDir, 'indexes.json'), text);
  return { stateDir, memory: await openIndexMemory({ stateDir, targets }, log) };
};

describe('indexes of an earlier run', () => {
  test.each([
    { of: 'the same target', target: { name: 'node', url: 'http://127.0.0.1:9650' }, recalled: ['P/block', 'C/block'] },
    { of: 'another URL under the same name', target: { name: 'node', url: 'http://10.0.0.1:9650' }, recalled: [] },
    { of: 'another name', target: { name: 'other', url: 'http://127.0.0.1:9650' }, recalled: [] },
  ])('of $of: $recalled', async ({ target, recalled }) => {
    const { memory } = await opened(JSON.stringify(saved));
    expect(memory.recall(target)).toEqual(recalled);
  });

  test.each([{ text: '{"node":' }, { text: '{"node":{"url":"x","known":["Q/block"]}}' }])(
    'are ignored in the unreadable file $text, which is logged',
    async ({ text }) => {
      const { log, said } = listeningLog();
      const { memory } = await opened(text, ['node'], log);
      expect(memory.recall({ name: 'node', url: 'x' })).toEqual([]);
      expect(said).toMatchObject([{ level: 'warn', message: 'known indexes of an earlier run unreadable: ignored' }]);
    },
  );

  test('of targets that are not configured, or that a reload removes, are deleted with the next write', async () => {
    // The format before versions: there, names of members of later formats are names of targets.
    const { stateDir, memory } = await opened(
      JSON.stringify({ ...saved, version: saved.node, targets: saved.node, gone: saved.node, removed: saved.node }),
      ['node', 'removed'],
    );
    await memory.forget('removed');
    expect(JSON.parse(await readFile(join(stateDir, 'indexes.json'), 'utf8'))).toEqual({ version: 1, targets: saved });
  });
});

test('an index that is disabled during a restart of the exporter is shown as off with a stateDir, and not at all without', async () => {
  const stateDir = await temporaryFolder();
  const file = join(stateDir, 'snowgauge.yaml');
  const node = await startTestNode({ indexEnabled: true });
  await node.ticks(roundsToSettle);
  const target = { name: 'node', url: node.url, healthCheckFrequency: '1s', indexes: 'auto' };
  await writeFile(file, JSON.stringify({ stateDir, targets: [target] }));
  const before = await startRun(file);
  const kept = () => readFile(join(stateDir, 'indexes.json'), 'utf8').catch(() => '');
  await expect.poll(kept, patience).toContain('C/block');
  // A deleted file is written again, and survives the restart.
  await rm(join(stateDir, 'indexes.json'));
  await expect.poll(kept, patience).toContain('C/block');
  before.signal('SIGKILL');
  await before.exited;
  await node.setFaults([{ fault: 'api-status', status: 404, path: '/ext/index' }]);
  const run = await startRun(file);
  await expect.poll(() => run.values('snowgauge_index_state', { index: 'C/block', state: 'off' }), patience).toEqual([1]);
  await writeFile(file, JSON.stringify({ targets: [target] }));
  const forgetful = await startRun(file);
  // The first poll requests every index.
  await expect.poll(() => forgetful.values('snowgauge_polls_total', { api: 'health', outcome: 'ok' }), patience).not.toEqual([0]);
  expect(await forgetful.values('snowgauge_index_state', { index: 'C/block', state: 'off' })).toEqual([]);
});
