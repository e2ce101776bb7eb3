// Kills the node process with kill -9 again and again, at random moments of bootstrapping and of accepting: everything that it had
// shown is still there, and nothing is missing, duplicated or different from the network.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { plannedChains } from '../../../src/node/scenario.ts';
import { type IndexName, indexNames } from '../../../src/protocol/paths.ts';
import { runBundle } from '../../support/bundle.ts';
import { countIn, entriesOf, epochIn, type NetworkRecord, networkRecord, problemsIn } from '../../support/crash-record.ts';
import { scenarioFrom } from '../../support/node.ts';
import { clientOf, lastShown, type NodeProcess, startNodeProcess, watchHeads } from '../../support/node-process.ts';
import { type Random, randomOf, seedFrom } from '../../support/random.ts';
import { runCommand } from '../../support/running-command.ts';

const networkSeed = 3;
/** Data dirs whose nodes are killed in parallel. */
const lanes = 3;
/** One in so many kills hits a starting node: the first on a new data dir, the others on one that a kill has left. */
const startUpEvery = 4;

/** Kills per data dir. */
export interface Kills {
  readonly bootstrapping: number;
  readonly accepting: number;
}

const patience = { timeout: 300_000, interval: 10 };
const { signal } = new AbortController();

type Counts = ReadonlyMap<IndexName, number>;

const nothing: Counts = new Map(indexNames.map((name) => [name, 0]));
const sumOf = (counts: Counts): number => [...counts.values()].reduce((sum, count) => sum + count, 0);

interface Network {
  readonly record: NetworkRecord;
  /** The least that the indexes hold once all chains have bootstrapped. */
  readonly history: Counts;
  /** Arguments of the node. */
  readonly args: readonly string[];
  readonly folder: string;
}

const networkOf = async (yaml: string): Promise<Network> => {
  const folder = mkdtempSync(join(tmpdir(), 'snowgauge-crash-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'scenario.yaml');
  writeFileSync(file, yaml);
  const planned = plannedChains(await scenarioFrom(yaml));
  const record = networkRecord(networkSeed, planned);
  const heightOf = (name: IndexName): number => planned.find((chain) => chain.name === name.charAt(0))?.history ?? 0;
  const history = new Map(indexNames.map((name) => [name, record.countAt(name, heightOf(name))]));
  return { record, history, args: ['--scenario', file, '--seed', `${networkSeed}`], folder };
};

/** A data dir and its known counts. */
interface Dir {
  readonly path: string;
  readonly counts: Counts;
}

/** Starts a node on it, awaits `life`, kills the node, and reads the files that it left. */
const killed = async (
  { record, args }: Network,
  { path, counts }: Dir,
  life: (node: NodeProcess, shown: Counts) => Promise<void>,
): Promise<Dir> => {
  const node = startNodeProcess(path, args);
  const shown = new Map(indexNames.map((name) => [name, 0]));
  const watching = new AbortController();
  const watched = watchHeads(node, (name, last) => shown.set(name, Math.max(shown.get(name) ?? 0, last + 1)), watching.signal);
  try {
    await life(node, shown);
  } finally {
    await node.end('SIGKILL');
    watching.abort();
    await watched;
  }
  const entries = await entriesOf(path);
  expect(problemsIn(entries, record)).toEqual([]);
  const left = new Map(indexNames.map((name) => [name, countIn(entries, name)]));
  for (const name of indexNames)
    expect(left.get(name)).toBeGreaterThanOrEqual(Math.max(counts.get(name) ?? 0, shown.get(name) ?? 0));
  return { path, counts: left };
};

/** Runs `snowgauge index verify` against the restarted node on everything that a crash has left. */
const verified = async (node: NodeProcess, counts: Counts): Promise<void> => {
  const port = await node.port;
  const client = clientOf(port);
  try {
    for (const name of indexNames) {
      const count = counts.get(name) ?? 0;
      if (count === 0) continue;
      // X and C show nothing before the P-Chain has caught up.
      await expect.poll(() => lastShown(client, name, signal), patience).toBeGreaterThanOrEqual(count - 1);
      const flags = ['--timeout', '5m', '--output', 'json'];
      const { code, stdout } = await runCommand(['index', 'verify', `http://127.0.0.1:${port}`, name, ...flags]);
      const report: Readonly<Record<string, unknown>> = JSON.parse(stdout);
      expect({ name, code, ...report }).toMatchObject({ code: 0, sound: true, from: '0', containers: Number(report.end) });
      expect(Number(report.end)).toBeGreaterThanOrEqual(count);
    }
  } finally {
    client.close();
  }
};

interface Attack {
  readonly network: Network;
  readonly kills: number;
  /** The moment of the kill, after the verification. */
  readonly moment: (shown: Counts, random: Random, kill: number) => Promise<void>;
  /** This data dir has nothing left to test. */
  readonly isDone: (counts: Counts) => boolean;
}

interface Attacked {
  readonly dir: Dir;
  /** Kills before all chains had bootstrapped. */
  readonly early: number;
}

const attack = async ({ network, kills, moment, isDone }: Attack, random: Random): Promise<Attacked> => {
  const newDir = (): Dir => ({ path: mkdtempSync(join(network.folder, 'data-')), counts: nothing });
  let dir = newDir();
  let early = 0;
  for (let kill = 0; kill < kills; kill += 1) {
    if (isDone(dir.counts)) dir = newDir();
    const { counts } = dir;
    const life = async (node: NodeProcess, shown: Counts): Promise<void> => {
      await verified(node, counts);
      await moment(shown, random, kill);
    };
    const start = async (): Promise<void> => void (await sleep(random() * 400));
    dir = await killed(network, dir, kill % startUpEvery === 0 ? start : life);
    const left = dir.counts;
    if (indexNames.some((name) => (left.get(name) ?? 0) < (network.history.get(name) ?? 0))) early += 1;
  }
  return { dir, early };
};

/** The last start on a data dir: it holds everything that the network accepted meanwhile, and `index verify` confirms it. */
const wholeAgain = async ({ args, record }: Network, { path, counts }: Dir): Promise<void> => {
  const entries = await entriesOf(path);
  const epoch = epochIn(entries) ?? Number.NaN;
  const startedAt = Date.now() / 1000;
  const node = startNodeProcess(path, args);
  try {
    const port = await node.port;
    const due = indexNames.map((name) => [name, record.countAt(name, record.heightAt(name, epoch, startedAt))] as const);
    for (const [name, count] of due) expect(count).toBeGreaterThanOrEqual(counts.get(name) ?? 0);
    await verified(node, new Map(due));
    const flags = ['--timeout', '5m', '--ids', '16', '--numbers', '16'];
    const ended = await runBundle(['index', 'verify', `http://127.0.0.1:${port}`, 'X/tx', ...flags]);
    expect(ended).toMatchObject({ code: 0, output: expect.stringContaining(': no errors found\n') });
  } finally {
    await node.end('SIGTERM');
  }
  expect(problemsIn(await entriesOf(path), record)).toEqual([]);
};

/** Returns the number of kills during bootstrapping. */
const attackLanes = async (how: Attack, seed: number): Promise<number> => {
  const earlies = await Promise.all(
    Array.from({ length: lanes }, async (_, lane) => {
      const { dir, early } = await attack(how, randomOf(seed + lane));
      await wholeAgain(how.network, dir);
      return early;
    }),
  );
  const early = earlies.reduce((sum, one) => sum + one, 0);
  console.log(`${how.kills * lanes} times kill -9, ${early} of them while bootstrapping`);
  return early;
};

const limit = 1_800_000;

export const crashSuite = (kills: Kills): void => {
  const seed = seedFrom('SNOWGAUGE_CRASH_SEED');
  test(
    `a node killed ${lanes * kills.bootstrapping} times while bootstrapping loses nothing and finishes bootstrapping`,
    async () => {
      const network = await networkOf(
        'chains: { P: { history: 2100, blockInterval: 24h }, X: { history: 700, blockInterval: 24h }, C: { history: 1100, blockInterval: 24h } }',
      );
      const total = sumOf(network.history);
      const attack: Attack = {
        network,
        kills: kills.bootstrapping,
        // One kill in each of as many sections as there are kills, so that each chain is hit early and late in its bootstrapping.
        moment: async (shown, random, kill) => {
          const target = (total * (kill + random())) / kills.bootstrapping;
          await expect.poll(() => sumOf(shown), patience).toBeGreaterThanOrEqual(Math.floor(target));
          await sleep(random() * 10);
        },
        isDone: (counts) => sumOf(counts) >= total,
      };
      expect(await attackLanes(attack, seed)).toBeGreaterThan(0);
    },
    limit,
  );

  test(
    `a node killed ${lanes * kills.accepting} times while accepting loses nothing and catches up with the network`,
    async () => {
      const network = await networkOf(
        'chains: { P: { history: 50, blockInterval: 80ms }, X: { history: 20, blockInterval: 120ms }, C: { history: 30, blockInterval: 50ms } }',
      );
      const attack: Attack = {
        network,
        kills: kills.accepting,
        moment: async (shown, random) => {
          // All chains have bootstrapped and accept blocks.
          await expect.poll(() => shown.get('C/block'), patience).toBeGreaterThan(network.history.get('C/block') ?? 0);
          await sleep(random() * 300);
        },
        // The network keeps accepting between runs, and each run verifies all of it.
        isDone: (counts) => sumOf(counts) > 2000,
      };
      await attackLanes(attack, seed);
    },
    limit,
  );
};
