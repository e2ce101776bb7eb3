// `snowgauge run`, stopped until another process takes over its stateDir, and then continued: with real processes, in real time.

import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { replaceFile } from '../../src/file-system.ts';
import { temporaryFolder } from '../support/events.ts';
import { startPlainNode } from '../support/plain-node.ts';
import { patience, type RunProcess, startRun } from '../support/run-process.ts';

const inUse = 'is in use by another snowgauge';
const writable = async (run: RunProcess): Promise<readonly number[]> => run.values('snowgauge_state_dir_writable');

const scene = async () => {
  const stateDir = await temporaryFolder();
  const node = await startPlainNode('');
  const configure = async (file: string, name: string): Promise<string> => {
    const target = { url: `http://127.0.0.1:${node.port}`, healthCheckFrequency: '1s', timeout: '500ms', indexes: [], name };
    await writeFile(join(stateDir, file), JSON.stringify({ stateDir, targets: [target] }));
    return join(stateDir, file);
  };
  const lock = join(stateDir, 'lock');
  return {
    node,
    configure,
    filesIn: async (folder: string): Promise<readonly string[]> =>
      (await readdir(join(stateDir, folder)).catch(() => [])).toSorted(),
    read: (path: string): Promise<string> => readFile(join(stateDir, path), 'utf8'),
    holder: async (): Promise<unknown> => JSON.parse(await readFile(lock, 'utf8')).pid,
    /** Makes the lock look like one of another container, so that only its heartbeat counts. */
    moveElsewhere: async (): Promise<void> => {
      await replaceFile(lock, JSON.stringify({ ...JSON.parse(await readFile(lock, 'utf8')), place: 'another container' }));
    },
  };
};

test('a process that lost its lock stops writing, logs it once, keeps serving, and writes again when it is alone', async () => {
  const { node, configure, filesIn, read, holder, moveElsewhere } = await scene();
  const first = await startRun(await configure('first.yaml', 'first'));
  await expect.poll(() => filesIn('liveness'), patience).toEqual(['first.json']);
  await expect.poll(() => filesIn('events'), patience).toHaveLength(1);
  expect(await writable(first)).toEqual([1]);
  const [history = ''] = await filesIn('events');

  first.signal('SIGSTOP');
  await moveElsewhere();
  const second = await startRun(await configure('second.yaml', 'second'));
  const pid = await holder();
  const before = await read(`events/${history}`);
  first.signal('SIGCONT');

  await first.said(inUse);
  expect(await writable(first)).toEqual([0]);
  const ready = await first.get('/readyz?verbose');
  expect(ready.status).toBe(200);
  expect(ready.body).toMatch(
    new RegExp(`\\[!\\]state-dir \\S+ ${inUse} \\(pid ${pid} on .*\\): snowgauge no longer writes to it`),
  );
  // Cause writes: another target, and a node that is gone.
  await configure('first.yaml', 'renamed');
  await expect.poll(() => first.values('snowgauge_up', { target: 'renamed' }), patience).toEqual([1]);
  await node.kill();
  await expect.poll(async () => (await first.get('/api/v1/history')).body, patience).toContain('"renamed"');
  const failed = () => first.values('snowgauge_event_history_write_failures_total');
  await expect.poll(async () => (await failed())[0], patience).toBeGreaterThan(0);
  expect(await filesIn('liveness')).not.toContain('renamed.json');
  expect(await read(`events/${history}`)).toBe(before);
  for (const file of await filesIn('events')) expect(await read(`events/${file}`), file).not.toContain('"renamed"');
  expect(await holder()).toBe(pid);
  expect(second.lines().filter((line) => line.includes(inUse))).toEqual([]);

  second.signal('SIGKILL');
  await second.exited;
  await first.said('stateDir is no longer in use by another snowgauge: writing again');
  await expect.poll(() => writable(first), patience).toEqual([1]);
  // No record of the time in between is lost.
  await expect.poll(() => read(`events/${history}`), patience).toContain('"renamed"');
  expect((await first.get('/readyz?verbose')).body).toContain('[+]state-dir ok');
  expect(first.lines().filter((line) => line.includes(inUse))).toHaveLength(1);
  expect(first.lines().filter((line) => line.includes('not written'))).toEqual([]);
});
