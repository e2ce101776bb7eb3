// .ci/run always ends with the line that sums up: also where a tool or the checks hang, or leave something behind that does.

import { spawn } from 'node:child_process';
import { appendFileSync, existsSync } from 'node:fs';
import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { root } from '../support/chart.ts';
import { temporaryFolder } from '../support/events.ts';
import { until } from '../support/until.ts';

interface Given {
  /** Of the tool some.sh: a script. */
  readonly tool?: string;
  /** More of them, by their names. */
  readonly beside?: Readonly<Record<string, string>>;
  /** Of scripts/release/audit.mjs. */
  readonly audit?: string;
  /** Of scripts/check.mjs. */
  readonly checks?: string;
  readonly limits?: Readonly<Record<string, string>>;
  /** Sent to the run, when it has begun with the tools or the checks: these write a file `begun`. */
  readonly signal?: NodeJS.Signals;
}

const ended = async ({ tool = '', beside = {}, audit = '', checks = '', limits = {}, signal }: Given) => {
  const folder = await temporaryFolder();
  await mkdir(join(folder, '.ci/tools'), { recursive: true });
  await mkdir(join(folder, 'scripts/release'), { recursive: true });
  await cp(join(root, '.ci/run'), join(folder, '.ci/run'));
  await cp(join(root, '.ci/lib.sh'), join(folder, '.ci/lib.sh'));
  await mkdir(join(folder, '.ci/tools/programs'));
  for (const [name, script] of Object.entries({ some: tool, ...beside }))
    await writeFile(join(folder, `.ci/tools/${name}.sh`), script);
  await writeFile(join(folder, 'scripts/release/audit.mjs'), audit);
  await writeFile(join(folder, 'scripts/check.mjs'), checks);
  const env = { PATH: process.env.PATH, TMPDIR: folder, XDG_CACHE_HOME: folder, ...limits };
  const child = spawn('bash', [join(folder, '.ci/run')], { stdio: ['ignore', 'pipe', 'pipe'], env });
  onTestFinished(() => void child.kill('SIGKILL'));
  let text = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
      appendFileSync(join(folder, 'out'), chunk);
    });
  const closed = new Promise((resolve) => child.on('close', resolve));
  if (signal !== undefined) {
    await until('it has begun', async () => existsSync(join(folder, 'begun')) || undefined);
    child.kill(signal);
  }
  const code = await closed;
  const survivor = Number(await readFile(join(folder, 'survivor'), 'utf8').catch(() => ''));
  // Throws where it is gone: then the run waited for it.
  if (survivor > 0) process.kill(survivor);
  return { code, lines: text.trimEnd().split('\n'), survivor, folder };
};

/** Out of the reach of whoever ends the rest, and holds open what it may write to. */
const survive = 'setsid sleep 300 & echo $! >survivor';

const summed = "console.log('3 passed, 0 failed');";
const hangs = 'setInterval(() => undefined, 1000);';
const second = { SNOWGAUGE_CI_TOOL_SECONDS: '1' };

describe('.ci/run', () => {
  test('passes the sum of the checks on, and says how long each tool took', async () => {
    const { code, lines } = await ended({ tool: 'true', checks: summed });
    expect({ code, last: lines.at(-1) }).toEqual({ code: 0, last: '3 passed, 0 failed' });
    expect(lines.join('\n')).toMatch(/^ci: \.ci\/tools\/some\.sh: \d+ s, CPU \d+ s and \d+ s in the system$/m);
  });

  test('makes the tools at the same time, and lets them take turns at what takes one only', async () => {
    /** Neither ends unless the other has begun. In its turn it is alone, and what it leaves behind does not keep the turn. */
    const meets = (own: string, other: string): string => `. "$(dirname "$0")/../lib.sh"
      touch ${own}
      until [ -e ${other} ]; do sleep 0.1; done
      alone() { mkdir turn; setsid sleep 300 & echo $! >>${own}.left; rmdir turn; }
      for _ in 1 2 3 4 5; do in_turn it alone; done
      kill $(cat ${own}.left)`;
    const { code, lines } = await ended({ tool: meets('a', 'b'), beside: { other: meets('b', 'a') }, checks: summed });
    expect({ code, last: lines.at(-1) }).toEqual({ code: 0, last: '3 passed, 0 failed' });
  });

  test('says of each tool that failed that it did, and at once, and how long the others took', async () => {
    const { code, lines } = await ended({
      tool: 'sleep 1',
      beside: {
        other: 'echo no such package; exit 7',
        third: 'until [ -e made ]; do sleep 0.1; done; echo neither; exit 8',
        // After the line of the one that has failed.
        waits: 'until grep -q other.sh.failed out; do sleep 0.1; done; touch made',
      },
      checks: summed,
    });
    expect({ code, last: lines.at(-1) }).toEqual({ code: 1, last: '0 passed, 1 failed' });
    const text = lines.join('\n');
    for (const name of ['other', 'third']) expect(text).toContain(`ci: .ci/tools/${name}.sh failed`);
    for (const words of ['no such package', 'neither', 'ci: .ci/tools/some.sh: ', 'ci: 2 of the tools failed'])
      expect(text).toContain(words);
    expect(text).not.toMatch(/(?:some|waits)\.sh failed/);
  });

  test('says of a tool that it had to wait for another', async () => {
    const lib = '. "$(dirname "$0")/../lib.sh"';
    const { lines } = await ended({
      tool: `${lib}
        hold() { touch held; until grep -q "waits for its turn: it" tmp.*/other.sh; do sleep 0.1; done; }
        in_turn it hold`,
      beside: { other: `${lib}; until [ -e held ]; do sleep 0.1; done; in_turn it false` },
    });
    expect(lines.join('\n')).toMatch(/waits for its turn: it\nhas its turn: it\nci: \.ci\/tools\/other\.sh failed/);
  });

  test.each([
    { what: 'the tools', tool: 'echo $$ >left; touch begun; exec sleep 300' },
    {
      what: 'the checks',
      checks: `const { writeFileSync } = await import('node:fs');
        writeFileSync('left', String(process.pid)); writeFileSync('begun', ''); ${hangs}`,
    },
  ])('ended by a signal, ends $what with it, and sums up', async ({ what: _, ...given }) => {
    for (const signal of ['SIGTERM', 'SIGHUP', 'SIGINT'] as const) {
      const { code, lines, folder } = await ended({ ...given, signal });
      expect({ code, last: lines.at(-1) }).toEqual({ code: 1, last: '0 passed, 1 failed' });
      expect(lines.at(-2)).toBe('ci: ended by a signal');
      const left = Number(await readFile(join(folder, 'left'), 'utf8'));
      // Ended, but perhaps not collected yet by whoever inherited it.
      await expect.poll(() => readFile(`/proc/${left}/stat`, 'utf8').catch(() => 'gone')).toMatch(/^gone$|\) Z /);
      expect((await readdir(folder)).filter((name) => name.startsWith('tmp.'))).toEqual([]);
    }
  });

  test('says why a module cannot be downloaded', async () => {
    const tool = `. "$(dirname "$0")/../lib.sh"
      go() { echo '{ "Error": "no such version" }'; return 1; }
      go_build example.com/module v1.0.0 . name`;
    const { lines } = await ended({ tool });
    expect(lines.join('\n')).toContain('no such version');
  });

  test.skipIf(process.getuid?.() !== 0)(
    'lets git work in a clone of another user, as a container of GitHub Actions has it',
    async () => {
      const { lines } = await ended({ tool: 'git init --quiet . && chown -R 12345 . && git status', checks: summed });
      expect(lines.at(-1)).toBe('3 passed, 0 failed');
    },
  );

  test.each([
    { what: 'a tool that fails', tool: 'echo no such package; exit 7', said: ['no such package', 'some.sh failed'] },
    { what: 'a tool that hangs', tool: 'sleep 1000', limits: second, said: ['some.sh: not done'] },
    { what: 'a tool whose child outlives it', tool: `${survive}; sleep 1000`, limits: second, said: ['some.sh: not done'] },
    { what: 'a known hole', audit: 'process.exitCode = 1;', said: ['npm audit failed'] },
    { what: 'checks that hang', checks: hangs, limits: { SNOWGAUGE_CI_CHECK_SECONDS: '1' }, said: ['the checks: not done'] },
    {
      what: 'checks whose child outlives them',
      checks: `(await import('node:child_process')).spawnSync('sh', ['-c', '${survive}'], { stdio: 'inherit' }); ${hangs}`,
      limits: { SNOWGAUGE_CI_CHECK_SECONDS: '2' },
      said: ['the checks: not done'],
    },
    {
      what: 'a tool that takes the time of the whole',
      tool: 'sleep 1000',
      limits: { SNOWGAUGE_CI_SECONDS: '1' },
      said: ['some.sh: not done'],
    },
    {
      what: 'checks that sum nothing up',
      checks: "console.log('Killed');",
      said: ['Killed', 'ended before the tests were summed up'],
    },
    {
      what: 'checks that fail',
      checks: "console.log('2 passed, 1 failed'); process.exitCode = 1;",
      said: [],
      last: '2 passed, 1 failed',
    },
  ])('ends with the sum, of $what', async ({ said, last = '0 passed, 1 failed', ...given }) => {
    const { code, lines } = await ended(given);
    expect({ code, last: lines.at(-1) }).toEqual({ code: 1, last });
    for (const words of said) expect(lines.join('\n')).toContain(words);
  });
});
