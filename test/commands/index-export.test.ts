// `snowgauge index export` as a process: killed, interrupted, drawn on a terminal, and resumed.

import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { CommandContext } from '../../src/commands/context.ts';
import { checkpointFile } from '../../src/walk/checkpoint.ts';
import { lineOf } from '../../src/walk/line.ts';
import { bundle } from '../support/bundle.ts';
import { drawn } from '../support/cases.ts';
import { containersOf, type IndexServer, type Odd, serveIndex } from '../support/index-server.ts';
import { runCommand } from '../support/running-command.ts';
import { describeWith } from '../support/tools.ts';
import { until } from '../support/until.ts';

/** Large containers: every second range is flushed as a checkpoint of 16 MiB, and these are a bit more than five ranges. */
const large = containersOf(5200, 4200);
const largeText = large.map(lineOf).join('');

/** Containers large enough for each range to be written separately. */
const medium = containersOf(6500, 600);
const mediumText = medium.map(lineOf).join('');

const small = containersOf(6500);
const smallText = small.map(lineOf).join('');

const files = drawn(['all.ndjson.gz', 'all.ndjson']);

const newFile = (name: string): string => {
  const folder = mkdtempSync(join(tmpdir(), 'snowgauge-export-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, name);
};

const textOf = (file: string): string => (file.endsWith('.gz') ? gunzipSync(readFileSync(file)) : readFileSync(file)).toString();

interface Exporting {
  readonly child: ChildProcess;
  /** The combined output and the exit code, which is null if a signal ended the process. */
  readonly ended: Promise<{ readonly code: number | null; readonly said: string }>;
  readonly said: () => string;
}

const following = (child: ChildProcess): Exporting => {
  let said = '';
  for (const channel of [child.stdout, child.stderr])
    channel?.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
  const ended = once(child, 'close').then(([code]: readonly (number | null)[]) => ({ code: code ?? null, said }));
  onTestFinished(() => void child.kill('SIGKILL'));
  return { child, ended, said: () => said };
};

/** Removes progress lines, which are printed after ten seconds on a busy machine. */
const withoutProgress = (said: string): string => said.replace(/P\/block: \d+ % .*\n/g, '');

const exporting = ({ url }: IndexServer, file: string, path = 'P/block', ...more: readonly string[]): Exporting => {
  const run = following(
    spawn(process.execPath, [bundle, 'index', 'export', url, path, file, '--concurrency', '1', ...more], {
      stdio: ['ignore', 'pipe', 'pipe'],
    }),
  );
  return { ...run, ended: run.ended.then(({ code, said }) => ({ code, said: withoutProgress(said) })) };
};

const isRange = ({ method }: { readonly method: string }): boolean => method === 'index.getContainerRange';

/** A server that runs `act` when the n-th range of a process is requested. */
const serving = async (
  containers = small,
): Promise<{ readonly server: IndexServer; readonly onRange: (nth: number, act: () => void) => void }> => {
  let left = 0;
  let act: () => void = () => undefined;
  const odd: Odd = (asked) => {
    if (!isRange(asked)) return undefined;
    left -= 1;
    if (left !== 0) return undefined;
    act();
    // Never answers, so the process is stopped in exactly this state.
    return 'silence';
  };
  const server = await serveIndex({ containers, odd });
  return {
    server,
    onRange: (nth, then) => {
      left = nth;
      act = then;
    },
  };
};

const startsOf = ({ asked }: IndexServer): readonly number[] =>
  asked.filter(isRange).map(({ params }) => Number(params.startIndex));

/** The first container that a resumed run would fetch. */
const safeIn = (file: string): number => {
  const progress = checkpointFile(file);
  return existsSync(progress) ? Number(JSON.parse(readFileSync(progress, 'utf8')).next) : 0;
};

test.each(files)('export resumes without loss or duplicates after kill -9 at any point: %s', async (name) => {
  const { server, onRange } = await serving(large);
  const file = newFile(name);
  const killed = async (nth: number, safe: number): Promise<void> => {
    const run = exporting(server, file);
    const isSafe = async () => safeIn(file) >= safe;
    onRange(nth, () => void until('it is safe', isSafe, { everyMs: 20 }).then(() => run.child.kill('SIGKILL')));
    expect(await run.ended).toEqual({ code: null, said: '' });
  };
  // Before the first checkpoint (twice), while one is being written, and after one is complete.
  await killed(1, 0);
  await killed(3, 0);
  await killed(2, 0);
  await killed(3, safeIn(file) + 2048);
  onRange(0, () => undefined);
  const [before, safe] = [startsOf(server).length, safeIn(file)];
  expect(await exporting(server, file).ended).toMatchObject({ code: 0 });
  expect(textOf(file) === largeText).toBe(true);
  expect(existsSync(checkpointFile(file))).toBe(false);
  // Checkpointed containers are not fetched again, and none is skipped.
  expect(startsOf(server)[before]).toBe(safe);
});

test.each(files)('export exits with 130 on Ctrl-C, prints how to resume, and resumes: %s', async (name) => {
  const { server, onRange } = await serving(medium);
  const file = newFile(name);
  const stopped = exporting(server, file);
  onRange(4, () => stopped.child.kill('SIGINT'));
  expect(await stopped.ended).toEqual({
    code: 130,
    said: `stopped\n${file} holds the containers before 3072: run the same command to resume\n`,
  });
  expect(textOf(file) === medium.slice(0, 3072).map(lineOf).join('')).toBe(true);
  const resumed = exporting(server, file);
  expect(await resumed.ended).toEqual({ code: 0, said: `${file}: 6500 containers, resumed at 3072\n` });
  expect(textOf(file) === mediumText).toBe(true);
  expect(startsOf(server)).toEqual([0, 1024, 2048, 3072, 3072, 4096, 5120, 6144]);
});

test('export stops on SIGTERM as on Ctrl-C', async () => {
  const { server, onRange } = await serving();
  const file = newFile('all.ndjson');
  const stopped = exporting(server, file);
  onRange(2, () => stopped.child.kill('SIGTERM'));
  expect(await stopped.ended).toMatchObject({ code: 130, said: expect.stringContaining('before 1024') });
});

test('export rejects the progress of another index or range and a foreign file, and leaves the files unchanged', async () => {
  const { server, onRange } = await serving();
  const file = newFile('all.ndjson');
  const stopped = exporting(server, file);
  onRange(3, () => stopped.child.kill('SIGINT'));
  await stopped.ended;
  const before = [textOf(file), textOf(`${file}.progress`)].join('');
  for (const [path, ...more] of [['C/block'], ['P/block', '--from', '1'], ['P/block', '--to', '5000']]) {
    const { code, said } = await exporting(server, file, path, ...more).ended;
    expect(said).toContain('was started with P/block, --from 0 and no --to');
    expect(code).toBe(2);
  }
  expect([textOf(file), textOf(`${file}.progress`)].join('') === before).toBe(true);
  rmSync(`${file}.progress`);
  expect(await exporting(server, file).ended).toMatchObject({
    code: 2,
    said: expect.stringContaining('remove it, or name another'),
  });
  expect(before.startsWith(textOf(file))).toBe(true);
});

test('export leaves no file behind when interrupted before the first response, and says so', async () => {
  const { server, onRange } = await serving();
  const file = newFile('all.ndjson');
  const stopped = exporting(server, file);
  onRange(1, () => stopped.child.kill('SIGINT'));
  expect(await stopped.ended).toEqual({ code: 130, said: `stopped\nnothing was written to ${file}\n` });
  expect(readdirSync(dirname(file))).toEqual([]);
});

test('export from beyond the end of the index exits with 1 and prints the number of containers', async () => {
  const { server } = await serving();
  const file = newFile('all.ndjson');
  expect(await exporting(server, file, 'P/block', '--from', '9000').ended).toEqual({
    code: 1,
    said: `P/block ends before 9000: it has 6500 containers: nothing was written to ${file}\n`,
  });
  expect(readdirSync(dirname(file))).toEqual([]);
});

test('export compresses a file name that ends with .GZ', async () => {
  const server = await serveIndex({ containers: large.slice(0, 10) });
  const file = newFile('ALL.GZ');
  expect(await exporting(server, file).ended).toMatchObject({ code: 0 });
  expect(gunzipSync(readFileSync(file)).toString()).toBe(large.slice(0, 10).map(lineOf).join(''));
});

describe('snowgauge index export to stdout', () => {
  const toStdout = (url: string, over: Partial<CommandContext> = {}, ...more: readonly string[]) =>
    runCommand(['index', 'export', url, 'P/block', '-', ...more], over);

  test('waits for the reader before each write and prints the summary to stderr', async () => {
    const server = await serveIndex({ containers: small });
    let isTaking = false;
    let lines = '';
    const ran = await toStdout(server.url, {
      stdout: (text) => {
        expect(isTaking).toBe(false);
        lines += text;
      },
      stdoutReady: async () => {
        isTaking = true;
        await setImmediate();
        isTaking = false;
      },
    });
    expect(ran).toMatchObject({ code: 0, stderr: 'stdout: 6500 containers\n' });
    expect(lines === smallText).toBe(true);
    expect(existsSync('-')).toBe(false);
  });

  test('prints how to resume after an error', async () => {
    const odd: Odd = ({ params }, nth) => (params.startIndex === '1024' && nth < 5 ? { status: 400 } : undefined);
    const { url } = await serveIndex({ containers: small, odd });
    const { stdout, stderr, code } = await toStdout(url);
    expect({ stderr, code }).toEqual({
      code: 3,
      stderr: `P/block: HTTP status 400 at ${url}/ext/index/P/block\nstdout holds the containers before 1024: --from 1024 resumes there\n`,
    });
    expect(`${stdout}${(await toStdout(url, {}, '--from', '1024')).stdout}` === smallText).toBe(true);
  });

  test('loses nothing with a slow reader', async () => {
    const { server } = await serving();
    const command = `"${process.execPath}" "${bundle}" index export ${server.url} P/block - | (read -r line; echo "$line"; cat)`;
    const { child, ended } = following(spawn('sh', ['-c', command], { stdio: ['ignore', 'pipe', 'pipe'] }));
    child.stdout?.pause();
    await until('the node was asked', async () => startsOf(server).length > 1, { everyMs: 20 });
    child.stdout?.resume();
    const { code, said } = await ended;
    expect(code).toBe(0);
    const copied = withoutProgress(said.replace('stdout: 6500 containers\n', ''));
    expect(copied === smallText).toBe(true);
  });
});

describe('snowgauge index with a closed reader', () => {
  test.each([['walk'], ['export', '-']])(
    'exits with 0 and without a message when the reader of %s closes stdout',
    async (name, ...file) => {
      let left = Promise.resolve();
      // Sends the second range only once the reader of the first has closed.
      const odd: Odd = ({ params }) => (params.startIndex === '1024' ? { wait: left } : undefined);
      // More ids than a pipe holds: a process that another test is spawning may briefly hold our end of the pipe.
      const server = await serveIndex({ containers: containersOf(20_000), odd });
      const args = [bundle, 'index', name, server.url, 'P/block', ...file, '--concurrency', '1'];
      const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
      left = once(child.stdout, 'close').then(() => undefined);
      const { ended } = following(child);
      child.stdout.once('data', () => child.stdout.destroy());
      expect(await ended).toMatchObject({ code: 0, said: expect.not.stringContaining('stopped') });
      expect(startsOf(server)).not.toContain(19_456);
    },
  );

  test('completes an export when stderr is closed', async () => {
    const odd: Odd = (_asked, nth) => (nth < 3 ? 'reset' : undefined);
    const server = await serveIndex({ containers: small, odd });
    const file = newFile('all.ndjson');
    const { child, ended } = exporting(server, file);
    child.stderr?.destroy();
    expect(await ended).toEqual({ code: 0, said: `${file}: 6500 containers\n` });
    expect(textOf(file) === smallText).toBe(true);
  });
});

describeWith(['script'], 'snowgauge index export on a terminal', (script) => {
  /** Runs the command in a terminal; its output is what the terminal shows. */
  const onTerminal = ({ url }: IndexServer, file: string, before = ''): Exporting => {
    const command = [process.execPath, bundle, 'index', 'export', url, 'P/block', file, '--concurrency', '1', '--rate', '4'];
    const child = spawn(script, ['--quiet', '--return', '--flush', '--command', before + command.join(' '), '/dev/null'], {
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    return following(child);
  };

  test('shows a bar with progress, rate and time left, and stops on the Ctrl-C key', async () => {
    const { server, onRange } = await serving();
    const file = newFile('all.ndjson');
    const run = onTerminal(server, file);
    onRange(5, () => run.child.stdin?.write('\u0003'));
    const { code, said } = await run.ended;
    expect(code).toBe(130);
    expect(said.replaceAll('\u001b[K', '')).toMatch(
      /\r\[#+\.+\] \d+ % {2}\d+ of 6500 {2}\d+(?:\.\d)?\/s {2}(?:\d+ min )?\d+ s left/,
    );
    expect(said).toContain('stopped\r\n');
    expect(said).toContain('run the same command to resume');
    expect(await exporting(server, file).ended).toMatchObject({ code: 0, said: expect.stringContaining('resumed at 4096') });
    expect(textOf(file) === smallText).toBe(true);
  });

  test('keeps each line narrower than the terminal, also after it shrinks: a wrapped line could not be overwritten', async () => {
    let asked = 0;
    const odd: Odd = (question) => {
      asked += isRange(question) ? 1 : 0;
      if (asked !== 3) return undefined;
      // Another process prints the terminal's name and may be slower.
      const named = until('the terminal is named', async () => /^\S+(?=\r\n)/.exec(run.said())?.[0], { everyMs: 20 });
      return { wait: named.then((name) => void execFileSync('stty', ['-F', name, 'cols', '30'])) };
    };
    const run = onTerminal(await serveIndex({ containers: small, odd }), newFile('all.ndjson'), 'tty; stty cols 50; exec ');
    const { code, said } = await run.ended;
    expect(code).toBe(0);
    const drawn = said
      .split('\r\u001b[K')
      .map((line) => line.split('\r\n')[0] ?? '')
      .filter((line) => line.includes(' % '));
    expect(drawn[0]).toMatch(/\d+ % {2}\d+ of 6500 .* left$/);
    expect(Math.max(...drawn.map(({ length }) => length))).toBeLessThan(50);
    const after = drawn.slice(drawn.findIndex(({ length }) => length < 30));
    expect(after[0]).toMatch(/^\d+ % .* left$/);
    expect(Math.max(...after.map(({ length }) => length))).toBeLessThan(30);
  });
});
