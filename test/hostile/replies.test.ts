// Many clients that read what is dear to make, of a fleet that changes all the time: it is made once for all of them, in short turns.

import { once } from 'node:events';
import { closeSync, openSync, readSync, realpathSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { expect, onTestFinished, test } from 'vitest';
import { createEventHistory } from '../../src/events/event-history.ts';
import { fleetOfSize } from '../server/fleet/world.ts';
import { drawn } from '../support/cases.ts';
import { serveExporter, stateOf } from '../support/exporter-server.ts';
import { noon } from '../support/snapshot.ts';

const run = async (role: 'read' | 'probe', given: object, end?: Promise<unknown>) => {
  const worker = new Worker(new URL('readers.mjs', import.meta.url), { workerData: { ...given, role } });
  void end?.then(() => worker.postMessage('end'));
  const [said] = await once(worker, 'message');
  await worker.terminate();
  return said;
};

/** Milliseconds of CPU that this thread has had: what else the machine does is no part of it. Linux only. */
const watchCpu = () => {
  const path = `${realpathSync('/proc/thread-self')}/schedstat`;
  const [file, text] = [openSync(path, 'r'), Buffer.alloc(64)];
  onTestFinished(() => closeSync(file));
  return { path, ms: (): number => Number(text.toString('latin1', 0, readSync(file, text, 0, 64, 0)).split(' ', 1)[0]) / 1e6 };
};

/** The most of it in one turn of the event loop. */
const watchTurns = (cpuMs: () => number) => {
  let [before, longest] = [cpuMs(), 0];
  const timer = setInterval(() => {
    const now = cpuMs();
    longest = Math.max(longest, now - before);
    before = now;
  }, 5);
  return (): number => {
    clearInterval(timer);
    return longest;
  };
};

const median = (all: readonly number[]): number => all.toSorted((a, b) => a - b)[Math.floor(all.length / 2)] ?? Number.NaN;

// The first is what the others are together.
const rows = drawn([
  { paths: ['/api/v1/status', '/?x=N', '/api/v1/sd?x=N'] },
  { paths: ['/api/v1/status'] },
  { paths: ['/?x=N'] },
  { paths: ['/api/v1/sd?x=N'] },
]);

test.each(rows)('200 connections that read $paths of 300 targets hold up no probe', async ({ paths }) => {
  const begun = performance.now();
  const cpu = watchCpu();
  const now = () => noon + (performance.now() - begun) / 1000;
  const targets = fleetOfSize(300, [3, 12]);
  // As with a poll every 30 ms of a machine that does nothing else.
  const state = () => ({ ...stateOf(targets), version: Math.floor(cpu.ms() / 30) });
  let pages = 0;
  const heldFrom = (name: string): undefined => {
    if (name === 'node-0') pages += 1;
  };
  const eventHistory = { ...createEventHistory({ run: 'test' }), heldFrom };
  // Without a limit of how often an address may ask.
  const options = { perSecond: 1e6, burst: 1e6 };
  const { port } = await serveExporter({ now, lastTick: now, state, eventHistory, options });
  const given = { port, readers: 200, paths, seconds: 1, schedstat: cpu.path };
  const longestTurn = watchTurns(cpu.ms);
  const reading = run('read', given);
  const [{ answers }, { took }] = await Promise.all([reading, run('probe', given, reading)]);
  const turn = longestTurn();
  expect([...answers.keys()]).toEqual(['200']);
  // Its two groups ask twice.
  expect(pages).toBeLessThan(answers.get('200') / 10);
  expect(turn).toBeLessThan(250);
  // One that waits for all the others takes what all of them take.
  expect(median(took)).toBeLessThan(250);
});
