// The format of the log: JSON for machines, short lines for people.

import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readFile, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { describe, expect, onTestFinished, test } from 'vitest';
import { paintFor } from '../src/commands/terminal.ts';
import type { LogSettings } from '../src/log.ts';
import { createLog, destinationAt, pipeTo } from '../src/logger.ts';
import { typed } from './support/command.ts';
import { noDisk, smallDisk } from './support/small-disk.ts';

const plain = paintFor({ env: {}, isTerminal: false });

const opened = (settings: Partial<LogSettings>, isTerminal = false, paint = plain) => {
  const lines: string[] = [];
  const destination = { write: (text: string) => lines.push(text) };
  return { lines, log: createLog({ level: 'info', format: 'auto', ...settings }, { isTerminal, paint, destination }) };
};

describe('a line', () => {
  test('is JSON with the time, the level as a word, the fields and the message', () => {
    const { lines, log } = opened({});
    log.warn({ target: 'node', tagSets: ['all'] }, 'poll failed');
    expect(lines).toEqual([expect.stringMatching(/^\{.*\}\n$/)]);
    expect(JSON.parse(lines[0] ?? '')).toEqual({
      level: 'warn',
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      target: 'node',
      tagSets: ['all'],
      msg: 'poll failed',
    });
  });

  test.each([
    { format: 'auto', isTerminal: false, isPretty: false },
    { format: 'auto', isTerminal: true, isPretty: true },
    { format: 'json', isTerminal: true, isPretty: false },
    { format: 'pretty', isTerminal: false, isPretty: true },
  ] as const)('with format $format and terminal $isTerminal is pretty: $isPretty', ({ format, isTerminal, isPretty }) => {
    const { lines, log } = opened({ format }, isTerminal);
    log.info({}, 'serving');
    expect(/^\d\d:\d\d:\d\dZ INFO {2}serving\n$/.test(lines[0] ?? '')).toBe(isPretty);
    expect(lines[0]?.startsWith('{')).toBe(!isPretty);
  });

  test('in pretty format is a single line without control characters, whatever the texts of the node', () => {
    const { lines, log } = opened({ format: 'pretty' });
    log.error(
      { error: 'a\nb\u001b[31m \u009b2J', indexes: { 'P/block': 'ok', 'X/tx': 'off' }, tagSets: ['a', 'b c'], none: '' },
      'x\ny',
    );
    expect(lines[0]).toMatch(
      /^\S+ ERROR x; y {2}error="a\\nb\\u001b\[31m \uFFFD2J" indexes=P\/block:ok,X\/tx:off tagSets=a,"b c" none=""\n$/,
    );
    log.info({ long: 'y'.repeat(5000) }, 'z');
    expect(lines[1]?.length).toBeLessThan(1100);
  });

  test('in pretty format leaves out fields that the message repeats or that only machines read', () => {
    const { lines, log } = opened({ format: 'pretty' });
    const of = { check: 'P', from: 'passing', to: 'failing', durationSeconds: 0.1, firstFailureAt: 'x', lastRunAt: 'x' };
    log.warn({ target: 'node', ...of, error: 'no', reason: 'other' }, 'check P began to fail');
    expect(lines[0]).toMatch(/^\S+ WARN {2}check P began to fail {2}target=node error=no reason=other\n$/);
  });

  test('in pretty format shows nested fields with their names', () => {
    const { lines, log } = opened({ format: 'pretty' });
    log.info({ indexes: { 'P/block': { before: '9', after: '4' }, 'X/tx': 'off' } }, 'moved');
    expect(lines[0]).toMatch(/^\S+ INFO {2}moved {2}indexes=P\/block:\{before:9,after:4\},X\/tx:off\n$/);
  });

  test('is limited in length, whatever the texts of the node', () => {
    const { lines, log } = opened({});
    const name = 'n'.repeat(1_000_000);
    const names = Array.from({ length: 100_000 }, (_, at) => `check-${at}`);
    log.warn({ target: 'node', error: name, checks: names, [name]: { [name]: name }, deep: [[[[[[name]]]]]] }, name);
    log.warn({ checks: names }, 'checks gone');
    log.warn({}, '😀'.repeat(2000));
    for (const line of lines) expect(line.length).toBeLessThan(20_000);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ level: 'warn', target: 'node', error: `${'n'.repeat(3999)}…` });
    expect(JSON.parse(lines[1] ?? '').checks.slice(0, 2)).toEqual(['check-0', 'check-1']);
    expect(JSON.parse(lines[1] ?? '').checks.at(-1)).toBe('… 99800 more');
    expect(JSON.parse(lines[2] ?? '').msg).toBe(`${'😀'.repeat(999)}…`);
  });

  test('has colour if the terminal supports it', () => {
    const { lines, log } = opened({ format: 'pretty' }, true, paintFor({ env: {}, isTerminal: true }));
    log.warn({}, 'poll failed');
    expect(lines[0]).toContain('\u001b[33mWARN \u001b[0m poll failed');
  });

  test.each([
    { level: 'debug', expected: ['debug', 'info', 'warn', 'error'] },
    { level: 'info', expected: ['info', 'warn', 'error'] },
    { level: 'warn', expected: ['warn', 'error'] },
    { level: 'error', expected: ['error'] },
    { level: 'silent', expected: [] },
  ] as const)('below level $level is not written', ({ level, expected }) => {
    const { lines, log } = opened({ level });
    for (const each of ['debug', 'info', 'warn', 'error'] as const) log[each]({}, each);
    expect(lines.map((line) => JSON.parse(line).msg)).toEqual(expected);
  });
});

describe.skipIf(!existsSync('/dev/full'))('a full disk', () => {
  test.each(['json', 'pretty'] as const)('does not fail the caller, and limits the waiting lines: %s', (format) => {
    const destination = destinationAt('/dev/full');
    let dropped = 0;
    destination.on('drop', () => {
      dropped += 1;
    });
    const log = createLog({ level: 'info', format }, { isTerminal: false, paint: plain, destination });
    for (let lines = 0; lines < 3; lines += 1) log.warn({}, 'poll failed');
    expect(dropped).toBe(0);
    for (let lines = 0; lines < 2000; lines += 1) log.warn({ error: 'e'.repeat(900) }, 'poll failed');
    expect(dropped).toBeGreaterThan(700);
  });

  test('gets the waiting lines when there is space again, and then new ones', async ({ skip }) => {
    const disk = await smallDisk();
    if (disk === undefined) return skip(noDisk);
    const file = join(disk.folder, 'log');
    const destination = destinationAt(file);
    onTestFinished(() => destination.destroy());
    const log = createLog({ level: 'info', format: 'json' }, { isTerminal: false, paint: plain, destination });
    await disk.fill();
    for (let lines = 0; lines < 2000; lines += 1) log.warn({ error: 'e'.repeat(900) }, 'poll failed');
    await disk.empty();
    let text = '';
    // The disk is smaller than the waiting lines.
    for (let rounds = 0; rounds < 60; rounds += 1) {
      log.info({}, 'serving');
      text += await readFile(file, 'utf8');
      await truncate(file);
    }
    const lines = text.trimEnd().split('\n');
    const messages = lines.map((line) => JSON.parse(line).msg);
    expect(messages.filter((message) => message === 'poll failed').length).toBeGreaterThan(1000);
    expect(messages.at(-1)).toBe('serving');
  });
});

describe('a pipe that is not read', () => {
  /** `read` reads at most `most` waiting lines. */
  const unread = (settings: LogSettings) => {
    const lines: string[] = [];
    let taken: (() => void) | undefined;
    const pipe = new Writable({
      decodeStrings: false,
      write: (line: string, _encoding, done) => {
        lines.push(line);
        taken = done;
      },
    });
    const read = (most = Number.POSITIVE_INFINITY): void => {
      for (let count = 0; count < most && pipe.writableLength > 0; count += 1) taken?.();
    };
    const log = createLog(settings, { isTerminal: false, paint: plain, destination: pipeTo(pipe) });
    return { log, pipe, lines, read, drained: () => once(pipe, 'drain') };
  };
  const long = { error: 'e'.repeat(900) };

  test.each(['json', 'pretty'] as const)(
    'drops lines above a limit, and gets the number of lost lines when it is read again: %s',
    async (format) => {
      const { log, pipe, lines, read, drained } = unread({ level: 'info', format });
      for (let count = 0; count < 2000; count += 1) log.warn(long, 'poll failed');
      expect(pipe.writableLength).toBeLessThan(2 ** 20 + 2000);
      const isDrained = drained();
      read();
      await isDrained;
      read();
      const kept = lines.filter((line) => line.includes('poll failed')).length;
      expect(kept).toBeGreaterThan(1000);
      expect(lines.slice(kept)).toEqual([expect.stringMatching(/log lines lost: stderr was not read/)]);
      expect(lines.at(-1)).toContain(format === 'json' ? `"lines":${2000 - kept},` : `lines=${2000 - kept}`);
    },
  );

  test('gets the message about lost lines before the next line, also at level error', () => {
    const { log, lines, read } = unread({ level: 'error', format: 'json' });
    for (let count = 0; count < 2000; count += 1) log.error(long, 'poll failed');
    read(100);
    log.error({}, 'serving');
    read();
    expect(lines.slice(-2).map((line) => JSON.parse(line).msg)).toEqual(['log lines lost: stderr was not read', 'serving']);
  });
});

describe('--log.level and --log.format', () => {
  const settingsOf = async (args: readonly string[], env: Readonly<Record<string, string>>) => {
    const asked: LogSettings[] = [];
    const stop = new AbortController();
    const ran = await typed([...args], {
      env,
      signal: stop.signal,
      openLog: (settings) => {
        asked.push(settings);
        stop.abort();
        return { debug: () => 0, info: () => 0, warn: () => 0, error: () => 0 };
      },
    });
    return { asked, ran };
  };
  const commands = [
    ['run', '--listen', '127.0.0.1:0'],
    ['node', '--http-port', '0'],
    ['demo', '--listen', '127.0.0.1:0', '--node-port', '0'],
  ] as const;

  test.each(commands.map((args) => ({ command: args[0], args })))(
    'snowgauge $command takes the flags, or else the environment variables',
    async ({ args }) => {
      const env = { SNOWGAUGE_LOG_LEVEL: 'warn', SNOWGAUGE_LOG_FORMAT: 'json' };
      expect((await settingsOf(args, {})).asked).toEqual([{ level: 'info', format: 'auto' }]);
      expect((await settingsOf(args, env)).asked).toEqual([{ level: 'warn', format: 'json' }]);
      const flags = ['--log.level', 'debug', '--log.format', 'pretty'];
      expect((await settingsOf([...args, ...flags], env)).asked).toEqual([{ level: 'debug', format: 'pretty' }]);
    },
  );

  test.each(commands.map((args) => ({ command: args[0], args })))(
    'snowgauge $command rejects invalid values, and reports all of them',
    async ({ args }) => {
      const { asked, ran } = await settingsOf([...args, '--log.level', 'loud'], { SNOWGAUGE_LOG_FORMAT: 'xml' });
      expect(asked).toEqual([]);
      expect(ran.code).toBe(2);
      expect(ran.stderr).toContain(`snowgauge ${args[0]}: --log.level: "loud" must be one of debug, info, warn, error, silent`);
      expect(ran.stderr).toContain(`snowgauge ${args[0]}: SNOWGAUGE_LOG_FORMAT: its value must be one of auto, json, pretty`);
    },
  );
});
