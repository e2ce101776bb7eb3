// Versions of the state files: older formats are read, and newer ones are logged and left alone.

import { cp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openEventHistory } from '../../src/events/open.ts';
import { silentLog } from '../../src/log.ts';
import { windowFile } from '../../src/maintenance/window-file.ts';
import { openDiscoveredMemory } from '../../src/memory/discovered-memory.ts';
import { openIndexMemory } from '../../src/memory/index-memory.ts';
import { openLivenessFiles } from '../../src/memory/liveness-file.ts';
import { openSubnetMemory } from '../../src/memory/subnet-memory.ts';
import { readCheckpoint } from '../../src/walk/checkpoint.ts';
import { draft, listeningLog, temporaryFolder } from '../support/events.ts';
import { startPlainNode } from '../support/plain-node.ts';
import { patience, startRun } from '../support/run-process.ts';

const fixtures = new URL('../fixtures/', import.meta.url).pathname;
const node = { name: 'node', url: 'http://127.0.0.1:9650' };
const guard = { mayWrite: async () => true, newer: () => undefined };

/** A copy of the stateDir of that version. */
const left = async (version: string): Promise<string> => {
  const folder = await temporaryFolder();
  await cp(join(fixtures, version), folder, { recursive: true });
  return folder;
};

// A version with another format gets a new folder and a new row. Rows are never removed, and files in these folders never change.
describe.each(['state-v0', 'state-v1'])('state of format %s', (version) => {
  test('is read completely', async () => {
    const stateDir = await left(version);
    const { said, log } = listeningLog();
    const kept = { stateDir, targets: [node.name] };
    const liveness = await openLivenessFiles(kept, { now: () => 5100, sinceBoot: () => 5100, log });
    expect(liveness.recall(node)).toEqual({
      listener: 'boot 7',
      answered: true,
      interval: 30,
      timeouts: { since: 5000, polls: 2 },
    });
    expect((await openIndexMemory(kept, log)).recall(node)).toEqual(['P/block', 'C/block']);
    expect((await openSubnetMemory(kept, log)).recall(node)).toEqual([{ id: '2nTg', name: 'my-l1', checks: ['L1'] }]);
    expect((await openDiscoveredMemory({ stateDir }, log)).has('pods/validator-1')).toBe(true);
    expect(await windowFile(stateDir, log).read()).toEqual([
      { targets: ['node'], start: 1_795_176_000, end: 1_795_179_600, reason: 'disk', source: 'api' },
    ]);
    const history = await openEventHistory({ stateDir, run: 'later' }, { now: () => 1_795_180_000, log });
    expect(history.records('node')).toMatchObject([{ id: 'earlier-1', check: 'database', from: 'passing', to: 'failing' }]);
    await history.close();
    expect(await readCheckpoint(join(stateDir, 'export.ndjson'))).toMatchObject({
      kind: 'ok',
      checkpoint: { next: 5n, bytes: 700 },
    });
    expect(said.filter(({ level }) => level !== 'info')).toEqual([]);
  });
});

/** Every file in the folder, byte for byte. */
const contents = async (folder: string): Promise<Readonly<Record<string, string>>> => {
  const files = (await readdir(folder, { recursive: true, withFileTypes: true })).filter((one) => one.isFile());
  return Object.fromEntries(
    await Promise.all(
      files.map(async ({ parentPath, name }) => {
        const path = join(parentPath, name);
        return [path.slice(folder.length + 1), await readFile(path, 'latin1')] as const;
      }),
    ),
  );
};

describe('state of a newer version', () => {
  test('is not changed by a run, and each file is logged', async () => {
    const stateDir = await left('state-v2');
    const before = await contents(stateDir);
    const plain = await startPlainNode('');
    const file = join(await temporaryFolder(), 'snowgauge.yaml');
    const target = {
      url: `http://127.0.0.1:${plain.port}`,
      healthCheckFrequency: '1s',
      timeout: '500ms',
      indexes: 'auto',
      name: 'node',
    };
    await writeFile(file, JSON.stringify({ stateDir, targets: [target] }));
    const run = await startRun(file);
    await expect.poll(() => run.values('snowgauge_up', { target: 'node' }), patience).toEqual([1]);
    // New event history is written next to the existing files.
    const own = async (): Promise<readonly string[]> => Object.keys(await contents(stateDir)).filter((name) => !(name in before));
    await expect.poll(own, patience).toEqual(expect.arrayContaining([expect.stringMatching(/^events\/events-\d{13}-/)]));
    expect(await run.values('snowgauge_state_dir_newer_files')).toEqual([Object.keys(before).length - 2]);
    const ready = await run.get('/readyz?verbose');
    expect(ready.status).toBe(200);
    expect(ready.body).toMatch(/\[!\]state-dir a newer snowgauge wrote \S+ and 5 more: neither read nor changed/);
    const told = run.lines().filter((line) => line.includes('of a newer snowgauge (format 2; this one reads up to 1)'));
    expect(told.map((line) => JSON.parse(line).file.slice(stateDir.length + 1)).toSorted()).toEqual([
      'discovered.json',
      'events/events-v2-1795176000000-later.ndjson',
      'indexes.json',
      'liveness/node.json',
      'maintenance.json',
      'subnets.json',
    ]);
    run.signal('SIGTERM');
    await run.exited;
    expect(Object.entries(await contents(stateDir)).filter(([name]) => name in before)).toEqual(Object.entries(before));
    expect(run.lines().filter((line) => /unreadable|damaged|not written/.test(line))).toEqual([]);
  });

  test('is written in this version once the file is gone', async () => {
    const stateDir = await left('state-v2');
    const file = join(stateDir, 'maintenance.json');
    const windows = windowFile(stateDir, silentLog, guard);
    expect(await windows.write([])).toBe(false);
    await rm(file);
    expect(await windows.write([])).toBe(true);
    expect(await readFile(file, 'utf8')).toBe('{"version":1,"windows":[]}\n');
  });

  test.each(['{"version":2,"later":[]}', '{\n  "version": 2,\n  "later": []\n}\n'])(
    'is also left alone if it appears at runtime: %j',
    async (newer) => {
      const stateDir = await temporaryFolder();
      const file = join(stateDir, 'maintenance.json');
      const { said, log } = listeningLog();
      const windows = windowFile(stateDir, log, guard);
      expect(await windows.write([])).toBe(true);
      await writeFile(file, newer);
      expect([await windows.write([]), await windows.write([])]).toEqual([false, false]);
      expect(await readFile(file, 'utf8')).toBe(newer);
      expect(said.map(({ level, message }) => [level, message])).toEqual([
        [
          'error',
          'maintenance windows of a newer snowgauge (format 2; this one reads up to 1): not read and left as they are; run that version again, or remove the file to start over',
        ],
      ]);
    },
  );

  test('with records of an unknown kind is not damaged: they are skipped, and the others are read', async () => {
    const stateDir = await temporaryFolder();
    const { said, log } = listeningLog();
    const one = await openEventHistory({ stateDir, run: 'one', closeMs: 60_000 }, { now: () => 1_795_176_000, log });
    one.add([draft(0)]);
    await one.close();
    const [name = ''] = await readdir(join(stateDir, 'events'));
    const path = join(stateDir, 'events', name);
    const line = await readFile(path, 'utf8');
    await writeFile(path, `${line.replace('"kind":"check"', '"kind":"teleported"').replace('one-1', 'one-2')}${line}`);
    const history = await openEventHistory({ stateDir, run: 'two' }, { now: () => 1_795_180_000, log });
    expect(history.records('node').map(({ id }) => id)).toEqual(['one-1']);
    await history.close();
    expect(said.filter(({ level }) => level !== 'info')).toMatchObject([
      {
        level: 'warn',
        message: 'event history of a newer snowgauge: skipped records of kinds that this one does not know',
        fields: { kinds: { teleported: 1 } },
      },
    ]);
  });
});
