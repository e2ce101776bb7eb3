// `snowgauge run` with a hung node, killed and started again: with real processes, in real time.

import { readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../support/events.ts';
import { startPlainNode } from '../support/plain-node.ts';
import { patience, type RunProcess, startRun } from '../support/run-process.ts';

const unresponsiveAfter = 3;

const knownNode = async () => {
  const stateDir = await temporaryFolder();
  const file = join(stateDir, 'snowgauge.yaml');
  const node = await startPlainNode('');
  const target = {
    url: `http://127.0.0.1:${node.port}`,
    healthCheckFrequency: '1s',
    timeout: '500ms',
    indexes: [],
    liveness: { unresponsiveAfter },
  };
  const configure = (name: string) => writeFile(file, JSON.stringify({ stateDir, targets: [{ ...target, name }] }));
  await configure('node');
  const begin = (): Promise<RunProcess> => startRun(file);
  const run = await begin();
  // Without the check interval, it cannot become Unresponsive.
  const memory = () => readFile(join(stateDir, 'liveness/node.json'), 'utf8').catch(() => '');
  await expect.poll(memory, patience).toContain('"interval"');
  return { stateDir, node, configure, memory, begin, run };
};

/** A known node that hangs, after its exporter was killed. */
const hungNode = async () => {
  const { node, memory, begin, run } = await knownNode();
  node.signal('SIGSTOP');
  await expect.poll(memory, patience).toMatch(/"polls":(?!1\b)/);
  run.signal('SIGKILL');
  await run.exited;
  return { node, begin };
};

const timeouts = async (run: RunProcess): Promise<number> => {
  const [count = 0] = await run.values('snowgauge_polls_total', { api: 'liveness', outcome: 'timeout' });
  return count;
};

test('a second process on the same stateDir fails to start, and names the process that uses it', async () => {
  const { begin } = await knownNode();
  await expect(begin()).rejects.toThrow(
    /: stateDir: \S+ is in use by another snowgauge \(pid \d+ on \S+\): stop that one, or give each its own stateDir; in Kubernetes a Deployment needs strategy Recreate/,
  );
});

test('a process whose lock is unreadable logs it, and writes again when it is readable', async () => {
  const { stateDir, node, run } = await knownNode();
  await symlink('nowhere', join(stateDir, 'link'));
  await rename(join(stateDir, 'link'), join(stateDir, 'lock'));
  node.signal('SIGSTOP');
  await run.said('event history not written: kept in memory, retrying');
  await run.said('liveness state not written: retrying with each poll');
  expect((await run.get('/readyz?verbose')).body).toContain(
    `[!]state-dir ${stateDir}/events cannot be written (ELOOP): the event history is kept in memory`,
  );
  expect(await run.values('snowgauge_state_dir_writable')).toEqual([0]);
  await rm(join(stateDir, 'lock'));
  await run.said('liveness state written again');
  await run.said('event history written again');
  await expect.poll(() => run.values('snowgauge_state_dir_writable'), patience).toEqual([1]);
});

// Without saved state, it never does, because it does not know the check interval of the node.
test('a restarted exporter reports a hung node as Unresponsive', async () => {
  const { begin } = await hungNode();
  const run = await begin();
  // In one response: on a busy machine, the next poll may be late, and then the condition is Unknown again.
  const dead = { status: 503, body: expect.stringContaining('Unresponsive') };
  await expect.poll(() => run.get('/self/livez'), patience).toMatchObject(dead);
});

test('a new process at the port of a hung node is not Unresponsive before its first response', async () => {
  const { node, begin } = await hungNode();
  await node.kill();
  await startPlainNode('', node.port, 'silent');
  const run = await begin();
  await expect.poll(() => timeouts(run), patience).toBeGreaterThan(unresponsiveAfter * 2);
  expect(await run.get('/self/livez')).toMatchObject({ status: 200, body: expect.stringContaining('NoResponse') });
});

test('a reload deletes the file of a removed target', async () => {
  const { stateDir, configure } = await knownNode();
  await configure('renamed');
  await expect.poll(() => readdir(join(stateDir, 'liveness')), patience).toEqual(['renamed.json']);
});
