// kill -9 while event history is being written, repeatedly on one folder: records on disk are read back completely and in order,
// and the next run continues.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { build } from 'esbuild';
import { expect, onTestFinished, test, vi } from 'vitest';
import * as z from 'zod/mini';
import type { TransitionRecord } from '../../src/events/record.ts';
import { segmentsIn } from '../../src/events/segments.ts';
import { bundle } from '../support/bundle.ts';
import { recordsOnDisk, temporaryFolder } from '../support/events.ts';
import { startNodeProcess } from '../support/node-process.ts';
import { randomOf, seedFrom } from '../support/random.ts';

vi.setConfig({ testTimeout: 600_000 });

const seed = seedFrom('SNOWGAUGE_KILL_SEED');

const killed = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
};

const runOf = ({ id }: TransitionRecord): string => id.slice(0, id.lastIndexOf('-'));
const placeOf = ({ id }: TransitionRecord): number => Number(id.slice(id.lastIndexOf('-') + 1));

/** The positions of malformed lines in all files, except for last lines, which may be truncated. */
const tornIn = async (folder: string): Promise<readonly string[]> => {
  const found = await Promise.all(
    (await segmentsIn(folder)).map(async ({ path }) => {
      const lines = (await readFile(path, 'utf8')).split('\n');
      // A complete last line ends with a line break.
      return lines.flatMap((line, at) => (at === lines.length - 1 || isJson(line) ? [] : [`${path}:${at + 1}`]));
    }),
  );
  return found.flat();
};

const isJson = (line: string): boolean => {
  try {
    return JSON.parse(line) !== null;
  } catch {
    return false;
  }
};

test('a store that is killed at random times loses nothing on disk, and at most its last line is truncated', async () => {
  const stateDir = await temporaryFolder();
  const folder = join(stateDir, 'events');
  const script = join(stateDir, 'writer.mjs');
  const entry = new URL('../support/event-writer.ts', import.meta.url).pathname;
  await build({ entryPoints: [entry], outfile: script, bundle: true, platform: 'node', format: 'esm', logLevel: 'warning' });

  const random = randomOf(seed);
  const expected: string[] = [];
  for (let kill = 1; kill <= 10; kill += 1) {
    const child = spawn(process.execPath, [script, stateDir, `run${kill}`], { stdio: ['ignore', 'pipe', 'inherit'] });
    let certain = 0;
    let batches = 0;
    child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
      const numbers = chunk.split('\n').filter(Boolean).map(Number);
      certain = numbers.at(-1) ?? certain;
      batches += numbers.length;
    });
    const wanted = 1 + Math.floor(random() * 8);
    await expect.poll(() => batches, { timeout: 280_000, interval: 1 }).toBeGreaterThanOrEqual(wanted);
    await wait(random() * 15);
    await killed(child);

    expect(await tornIn(folder)).toEqual([]);
    const records = await recordsOnDisk(folder);
    const own = records.filter((record) => runOf(record) === `run${kill}`);
    expect(own.map(placeOf)).toEqual(own.map((_, at) => at + 1));
    expect(own.map(({ contiguousFailures }) => contiguousFailures)).toEqual(own.map((_, at) => at + 1));
    expect(own.length).toBeGreaterThanOrEqual(certain);
    // The records of all previous runs, except for deleted files, oldest first.
    expected.push(...own.map(({ id }) => id));
    expect(records.map(({ id }) => id)).toEqual(expected.slice(-records.length));
  }
});

const scenario = `faults:
${['router', 'database', 'diskspace', 'network', 'P', 'X', 'C'].map((check) => `  - { at: 0s, fault: check-flaps, check: ${check}, period: 2s }`).join('\n')}
`;

const answered = z.object({ records: z.array(z.object({ at: z.string(), kind: z.string(), target: z.string() })) });

const config = (port: number, stateDir: string): string => `
listen: { host: 127.0.0.1, port: 0 }
stateDir: ${stateDir}
targets: [{ name: node, url: 'http://127.0.0.1:${port}', healthCheckFrequency: 1s, indexes: [] }]
`;

interface Exporter {
  readonly child: ChildProcess;
  /** The lines of its log. */
  readonly said: () => readonly string[];
}

const startExporter = (file: string): Exporter => {
  const child = spawn(process.execPath, [bundle, 'run', '--config', file], { stdio: ['ignore', 'ignore', 'pipe'] });
  let text = '';
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  onTestFinished(() => killed(child));
  return { child, said: () => text.split('\n').filter(Boolean) };
};

test('an exporter that is killed repeatedly shows the event history of all its runs, in order, and continues it', async () => {
  const stateDir = await temporaryFolder();
  const folder = join(stateDir, 'events');
  const [scenarioFile, configFile] = [join(stateDir, 'scenario.yaml'), join(stateDir, 'snowgauge.yaml')];
  await writeFile(scenarioFile, scenario);
  const node = startNodeProcess(join(stateDir, 'node'), ['--health-check-frequency', '1s', '--scenario', scenarioFile]);
  onTestFinished(() => node.end('SIGKILL').then(() => undefined));
  await writeFile(configFile, config(await node.port, stateDir));

  const transitions = (said: readonly string[]): readonly string[] =>
    said.filter((line) => /checks? .*(?:fail|passed)/.test(line));
  const random = randomOf(seed + 1);
  let known: readonly string[] = [];
  for (let kill = 1; kill <= 3; kill += 1) {
    const { child, said } = startExporter(configFile);
    const wanted = Math.floor(random() * 4);
    await expect.poll(() => transitions(said()).length, { timeout: 280_000, interval: 5 }).toBeGreaterThan(wanted);
    // Logged events are on disk a moment later; on a busy machine, that may be after the kill.
    const kept = async () => (await recordsOnDisk(folder)).length;
    await expect.poll(kept, { timeout: 280_000, interval: 5 }).toBeGreaterThan(known.length);
    await wait(random() * 300);
    await killed(child);

    expect(await tornIn(folder)).toEqual([]);
    const records = await recordsOnDisk(folder);
    const fresh = records.filter(({ id }) => !known.includes(id));
    expect(records.map(({ id }) => id)).toEqual([...known, ...fresh.map(({ id }) => id)]);
    expect(fresh.map(placeOf)).toEqual(fresh.map((_, at) => at + 1));
    known = records.map(({ id }) => id);
  }

  const { said } = startExporter(configFile);
  await expect.poll(() => transitions(said()).length).toBeGreaterThan(0);
  const [, url = ''] = /"url":"([^"]+)"/.exec(said().find((line) => line.includes('"url":"http://127.0.0.1')) ?? '') ?? [];
  const response = await fetch(`${url}/api/v1/history?limit=1000`);
  const { records } = answered.parse(await response.json());
  expect(records.length).toBeGreaterThan(known.length);
  expect(records.map(({ at }) => at)).toEqual(records.map(({ at }) => at).sort());
});
