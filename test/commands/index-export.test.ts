// `snowgauge index export` as a process of its own: killed, stopped by Ctrl-C, watched on a terminal, and gone on with.

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

/** Large ones: the file is made safe after each second range of them, which is 16 MiB, and these are a bit more than five. */
const large = containersOf(5200, 4200);
const largeText = large.map(lineOf).join('');

/** Of these each range is written on its own. */
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
  /** What it wrote on both channels, and its exit code: null after a signal that ended it. */
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

/** On a busy machine it takes longer than the ten seconds after which progress is said. */
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

/** A server that, when the n-th range of a process is asked for, does something else first. */
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
    // It is left alone with what it has.
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

/** The first container that a run after this one would fetch. */
const safeIn = (file: string): number => {
  const progress = checkpointFile(file);
  return existsSync(progress) ? Number(JSON.parse(readFileSync(progress, 'utf8')).next) : 0;
};

test.each(files)('killed with -9 wherever it is, it goes on without loss and without doubles: %s', async (name) => {
  const { server, onRange } = await serving(large);
  const file = newFile(name);
  const killed = async (nth: number, safe: number): Promise<void> => {
    const run = exporting(server, file);
    const isSafe = async () => safeIn(file) >= safe;
    onRange(nth, () => void until('it is safe', isSafe, { everyMs: 20 }).then(() => run.child.kill('SIGKILL')));
    expect(await run.ended).toEqual({ code: null, said: '' });
  };
  // Before anything is there, in the middle of what is made safe, in the middle of what is not, and when it has been.
  await killed(1, 0);
  await killed(3, 0);
  await killed(2, 0);
  await killed(3, safeIn(file) + 2048);
  onRange(0, () => undefined);
  const [before, safe] = [startsOf(server).length, safeIn(file)];
  expect(await exporting(server, file).ended).toMatchObject({ code: 0 });
  expect(textOf(file) === largeText).toBe(true);
  expect(existsSync(checkpointFile(file))).toBe(false);
  // What was safe was not fetched again, and nothing else was left out.
  expect(startsOf(server)[before]).toBe(safe);
});

test.each(files)('Ctrl-C ends it with exit code 130, says how to go on, and that goes on: %s', async (name) => {
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

test('SIGTERM, which a pod gets, stops it as cleanly', async () => {
  const { server, onRange } = await serving();
  const file = newFile('all.ndjson');
  const stopped = exporting(server, file);
  onRange(2, () => stopped.child.kill('SIGTERM'));
  expect(await stopped.ended).toMatchObject({ code: 130, said: expect.stringContaining('before 1024') });
});

test("another index's progress, other bounds and a file that is none of its own are refused, and left as they are", async () => {
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

test('before anything came, Ctrl-C leaves nothing behind, and says so', async () => {
  const { server, onRange } = await serving();
  const file = newFile('all.ndjson');
  const stopped = exporting(server, file);
  onRange(1, () => stopped.child.kill('SIGINT'));
  expect(await stopped.ended).toEqual({ code: 130, said: `stopped\nnothing was written to ${file}\n` });
  expect(readdirSync(dirname(file))).toEqual([]);
});

test('from beyond the end of the index nothing is written: exit code 1, and what the index holds', async () => {
  const { server } = await serving();
  const file = newFile('all.ndjson');
  expect(await exporting(server, file, 'P/block', '--from', '9000').ended).toEqual({
    code: 1,
    said: `P/block ends before 9000: it has 6500 containers: nothing was written to ${file}\n`,
  });
  expect(readdirSync(dirname(file))).toEqual([]);
});

test('a name in capitals is compressed too', async () => {
  const server = await serveIndex({ containers: large.slice(0, 10) });
  const file = newFile('ALL.GZ');
  expect(await exporting(server, file).ended).toMatchObject({ code: 0 });
  expect(gunzipSync(readFileSync(file)).toString()).toBe(large.slice(0, 10).map(lineOf).join(''));
});

describe('to stdout', () => {
  const toStdout = (url: string, over: Partial<CommandContext> = {}, ...more: readonly string[]) =>
    runCommand(['index', 'export', url, 'P/block', '-', ...more], over);

  test('all lines come, none before the reader has taken the ones before, and what was done is said on stderr', async () => {
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

  test('broken off, how to go on is said', async () => {
    const odd: Odd = ({ params }, nth) => (params.startIndex === '1024' && nth < 5 ? { status: 400 } : undefined);
    const { url } = await serveIndex({ containers: small, odd });
    const { stdout, stderr, code } = await toStdout(url);
    expect({ stderr, code }).toEqual({
      code: 3,
      stderr: `P/block: HTTP status 400 at ${url}/ext/index/P/block\nstdout holds the containers before 1024: --from 1024 resumes there\n`,
    });
    expect(`${stdout}${(await toStdout(url, {}, '--from', '1024')).stdout}` === smallText).toBe(true);
  });

  test('a process whose reader is slow loses nothing', async () => {
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

describe('a reader that has had enough', () => {
  test.each([['walk'], ['export', '-']])('of %s is no failure: exit code 0, and not a word', async (name, ...file) => {
    let left = Promise.resolve();
    // The second range comes when the reader of the first has gone.
    const odd: Odd = ({ params }) => (params.startIndex === '1024' ? { wait: left } : undefined);
    // Their ids alone are more than a pipe holds: a process that another test is just starting may have our end of it a moment longer.
    const server = await serveIndex({ containers: containersOf(20_000), odd });
    const args = [bundle, 'index', name, server.url, 'P/block', ...file, '--concurrency', '1'];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    left = once(child.stdout, 'close').then(() => undefined);
    const { ended } = following(child);
    child.stdout.once('data', () => child.stdout.destroy());
    expect(await ended).toMatchObject({ code: 0, said: expect.not.stringContaining('stopped') });
    expect(startsOf(server)).not.toContain(19_456);
  });

  test('of what is said on stderr does not end an export', async () => {
    const odd: Odd = (_asked, nth) => (nth < 3 ? 'reset' : undefined);
    const server = await serveIndex({ containers: small, odd });
    const file = newFile('all.ndjson');
    const { child, ended } = exporting(server, file);
    child.stderr?.destroy();
    expect(await ended).toEqual({ code: 0, said: `${file}: 6500 containers\n` });
    expect(textOf(file) === smallText).toBe(true);
  });
});

describeWith(['script'], 'on a terminal', (script) => {
  /** As typed there: what it writes is what the terminal shows. */
  const onTerminal = ({ url }: IndexServer, file: string, before = ''): Exporting => {
    const command = [process.execPath, bundle, 'index', 'export', url, 'P/block', file, '--concurrency', '1', '--rate', '4'];
    const child = spawn(script, ['--quiet', '--return', '--flush', '--command', before + command.join(' '), '/dev/null'], {
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    return following(child);
  };

  test('a bar shows how far it is, the rate and the time left; Ctrl-C is a key there', async () => {
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

  test('no line is as wide as the terminal, which becomes narrower meanwhile: what is torn cannot be written over', async () => {
    let asked = 0;
    const odd: Odd = (question) => {
      asked += isRange(question) ? 1 : 0;
      if (asked !== 3) return undefined;
      // Its name comes by another process, which may be slower.
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
