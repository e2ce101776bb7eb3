// Several processes find the lock of a dead one at the same time. In every order of their steps, exactly one gets the lock.

import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Lock, lockFile } from '../src/lock-file.ts';
import type { TakeOptions } from '../src/lock-taking.ts';
import { cases } from './support/cases.ts';
import { temporaryFolder } from './support/events.ts';
import { type Random, randomOf } from './support/random.ts';
import { startRun } from './support/run-process.ts';

/** The lock file of a dead process of this machine and container: its PID does not exist. */
const deadText = async (): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'snowgauge-lock-'));
  const lock = await lockFile(join(folder, 'lock'));
  const text = await readFile(join(folder, 'lock'), 'utf8');
  if (lock.kind === 'held') await lock.release();
  await rm(folder, { recursive: true });
  return JSON.stringify({ ...JSON.parse(text), pid: 2 ** 30, id: 'dead' });
};

type Step = NonNullable<TakeOptions['step']>;

/** A process that takes a step only when `go` is called. */
interface Contender {
  /** Resolves with true before the next step, and with false when all steps are done. */
  readonly stands: () => Promise<boolean>;
  readonly go: () => void;
  readonly end: Promise<Lock>;
}

const contender = (path: string): Contender => {
  let [arrive, go] = [(_: boolean): void => undefined, (): void => undefined];
  let arrived = new Promise<boolean>((resolve) => {
    arrive = resolve;
  });
  let isFree = false;
  const step: Step = async () => {
    if (isFree) return;
    await new Promise<void>((resolve) => {
      go = resolve;
      arrive(true);
    });
  };
  // With the default heartbeat: a process that finds a file without content reads it again half a heartbeat later.
  const end = lockFile(path, { step }).then((lock) => {
    // Later steps, such as a release, are not part of the race.
    isFree = true;
    arrive(false);
    return lock;
  });
  return {
    stands: () => arrived,
    go: () => {
      arrived = new Promise<boolean>((resolve) => {
        arrive = resolve;
      });
      go();
    },
    end,
  };
};

/** Runs one step at a time, of a randomly chosen contender. */
const race = async (path: string, count: number, random: Random): Promise<readonly Lock[]> => {
  const all = Array.from({ length: count }, () => contender(path));
  for (let running = all; running.length > 0; ) {
    const one = running[Math.floor(random() * running.length)];
    if (one === undefined || !(await one.stands())) running = running.filter((other) => other !== one);
    else one.go();
  }
  return Promise.all(all.map(({ end }) => end));
};

test.each([
  { left: ['lock'], count: 2, rounds: 60 },
  { left: ['lock'], count: 4, rounds: 30 },
  // Processes that were killed while they took over the lock, and while they took over that takeover.
  { left: ['lock', 'lock.turn'], count: 3, rounds: 30 },
  { left: ['lock', 'lock.turn', 'lock.turn.turn'], count: 3, rounds: 20 },
  { left: [], count: 3, rounds: 20 },
])('$count processes that race for $left.length left lock files: exactly one gets the lock', async ({ left, count, rounds }) => {
  const dead = await deadText();
  for (let seed = 1; seed <= cases(rounds); seed += 1) {
    const folder = await temporaryFolder();
    const path = join(folder, 'lock');
    for (const name of left) await writeFile(join(folder, name), dead);
    const locks = await race(path, count, randomOf(seed));
    const held = locks.filter((lock) => lock.kind === 'held');
    expect(held, `seed ${seed}`).toHaveLength(1);
    expect(await Promise.all(held.map((lock) => lock.isHeld())), `seed ${seed}`).toEqual([true]);
    expect(await readdir(folder), `seed ${seed}`).toEqual(['lock']);
    for (const lock of held) await lock.release();
    expect(await readdir(folder), `seed ${seed}`).toEqual([]);
  }
});

test('of six processes that start at once on the lock of a killed one, one serves, and the others name it', async () => {
  const stateDir = await temporaryFolder();
  const file = join(stateDir, 'snowgauge.yaml');
  await writeFile(file, JSON.stringify({ stateDir, targets: [{ name: 'node', url: 'http://127.0.0.1:9' }] }));
  await writeFile(join(stateDir, 'lock'), await deadText());
  const started = await Promise.allSettled(Array.from({ length: 6 }, () => startRun(file)));
  const serving = started.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  const refused = started.flatMap((one) => (one.status === 'rejected' ? [String(one.reason)] : []));
  expect(serving).toHaveLength(1);
  const { pid } = JSON.parse(await readFile(join(stateDir, 'lock'), 'utf8'));
  for (const reason of refused) expect(reason).toContain(`is in use by another snowgauge (pid ${pid} on `);
});
