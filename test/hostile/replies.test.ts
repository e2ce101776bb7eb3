// Many clients read expensive responses for a fleet that changes all the time: each is made once for all clients, in short turns.

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

/** CPU milliseconds of this thread, without other load of the machine. Linux only. */
const watchCpu = () => {
  const path = `${realpathSync('/proc/thread-self')}/schedstat`;
  const [file, text] = [openSync(path, 'r'), Buffer.alloc(64)];
  onTestFinished(() => closeSync(file));
  return { path, ms: (): number => Number(text.toString('latin1', 0, readSync(file, text, 0, 64, 0)).split(' ', 1)[0]) / 1e6 };
};

/** The maximum in one turn of the event loop. */
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

// The first row combines the others.
const rows = drawn([
  { paths: ['/api/v1/status', '/?x=N', '/api/v1/sd?x=N'] },
  { paths: ['/api/v1/status'] },
  { paths: ['/?x=N'] },
  { paths: ['/api/v1/sd?x=N'] },
]);

test.each(rows)('200 connections that read $paths of 300 targets do not delay probes', async ({ paths }) => {
  const begun = performance.now();
  const cpu = watchCpu();
  const now = () => noon + (performance.now() - begun) / 1000;
  const targets = fleetOfSize(300, [3, 12]);
  // Like a poll every 30 ms on an idle machine.
  const state = () => ({ ...stateOf(targets), version: Math.floor(cpu.ms() / 30) });
  let pages = 0;
  const heldFrom = (name: string): undefined => {
    if (name === 'node-0') pages += 1;
  };
  const eventHistory = { ...createEventHistory({ run: 'test' }), heldFrom };
  // Effectively no rate limit.
  const options = { perSecond: 1e6, burst: 1e6 };
  const { port } = await serveExporter({ now, lastTick: now, state, eventHistory, options });
  const given = { port, readers: 200, paths, seconds: 1, schedstat: cpu.path };
  const longestTurn = watchTurns(cpu.ms);
  const reading = run('read', given);
  const [{ answers }, { took }] = await Promise.all([reading, run('probe', given, reading)]);
  const turn = longestTurn();
  expect([...answers.keys()]).toEqual(['200']);
  // Two groups, so it is called twice per page.
  expect(pages).toBeLessThan(answers.get('200') / 10);
  expect(turn).toBeLessThan(250);
  // A probe that waited for all other requests would take as long as all of them.
  expect(median(took)).toBeLessThan(250);
});
