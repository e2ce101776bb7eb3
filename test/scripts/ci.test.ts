// .ci/run always ends with the summary line, even if a tool or the checks hang, or leave a hanging process behind.

import { spawn } from 'node:child_process';
import { appendFileSync, existsSync } from 'node:fs';
import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { root } from '../support/chart.ts';
import { temporaryFolder } from '../support/events.ts';
import { until } from '../support/until.ts';

interface Given {
  /** Script of the tool some.sh. */
  readonly tool?: string;
  /** Scripts of further tools by name. */
  readonly beside?: Readonly<Record<string, string>>;
  /** Code of scripts/release/audit.mjs. */
  readonly audit?: string;
  /** Code of scripts/check.mjs. */
  readonly checks?: string;
  readonly limits?: Readonly<Record<string, string>>;
  /** Sent to the run once a tool or the checks have written the file `begun`. */
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
  // Throws if it has ended, because then the run waited for it.
  if (survivor > 0) process.kill(survivor);
  return { code, lines: text.trimEnd().split('\n'), survivor, folder };
};

/** Not killed with the others, and keeps their output open. */
const survive = 'setsid sleep 300 & echo $! >survivor';

const summed = "console.log('3 passed, 0 failed');";
const hangs = 'setInterval(() => undefined, 1000);';
const second = { SNOWGAUGE_CI_TOOL_SECONDS: '1' };

describe('.ci/run', () => {
  test('prints the summary of the checks, and the time that each tool took', async () => {
    const { code, lines } = await ended({ tool: 'true', checks: summed });
    expect({ code, last: lines.at(-1) }).toEqual({ code: 0, last: '3 passed, 0 failed' });
    expect(lines.join('\n')).toMatch(/^ci: \.ci\/tools\/some\.sh: \d+ s, CPU \d+ s and \d+ s in the system$/m);
  });

  test('builds the tools concurrently, and runs their exclusive parts in turn', async () => {
    /** Each ends only once the other has begun. Its turn is exclusive, and a process that it leaves behind does not keep the turn. */
    const meets = (own: string, other: string): string => `. "$(dirname "$0")/../lib.sh"
      touch ${own}
      until [ -e ${other} ]; do sleep 0.1; done
      alone() { mkdir turn; setsid sleep 300 & echo $! >>${own}.left; rmdir turn; }
      for _ in 1 2 3 4 5; do in_turn it alone; done
      kill $(cat ${own}.left)`;
    const { code, lines } = await ended({ tool: meets('a', 'b'), beside: { other: meets('b', 'a') }, checks: summed });
    expect({ code, last: lines.at(-1) }).toEqual({ code: 0, last: '3 passed, 0 failed' });
  });

  test('reports each failed tool at once, and the time that the others took', async () => {
    const { code, lines } = await ended({
      tool: 'sleep 1',
      beside: {
        other: 'echo no such package; exit 7',
        third: 'until [ -e made ]; do sleep 0.1; done; echo neither; exit 8',
        // Continues after the line of the failed tool.
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

  test('reports that a tool had to wait for another', async () => {
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
  ])('ends $what and prints the summary on a signal', async ({ what: _, ...given }) => {
    for (const signal of ['SIGTERM', 'SIGHUP', 'SIGINT'] as const) {
      const { code, lines, folder } = await ended({ ...given, signal });
      expect({ code, last: lines.at(-1) }).toEqual({ code: 1, last: '0 passed, 1 failed' });
      expect(lines.at(-2)).toBe('ci: ended by a signal');
      const left = Number(await readFile(join(folder, 'left'), 'utf8'));
      // It has ended, but may still be a zombie.
      await expect.poll(() => readFile(`/proc/${left}/stat`, 'utf8').catch(() => 'gone')).toMatch(/^gone$|\) Z /);
      expect((await readdir(folder)).filter((name) => name.startsWith('tmp.'))).toEqual([]);
    }
  });

  test('prints why a module cannot be downloaded', async () => {
    const tool = `. "$(dirname "$0")/../lib.sh"
      go() { echo '{ "Error": "no such version" }'; return 1; }
      go_build example.com/module v1.0.0 . name`;
    const { lines } = await ended({ tool });
    expect(lines.join('\n')).toContain('no such version');
  });

  test.skipIf(process.getuid?.() !== 0)(
    'lets git work in a clone owned by another user, as in a container of GitHub Actions',
    async () => {
      const { lines } = await ended({ tool: 'git init --quiet . && chown -R 12345 . && git status', checks: summed });
      expect(lines.at(-1)).toBe('3 passed, 0 failed');
    },
  );

  test.each([
    { what: 'a tool that fails', tool: 'echo no such package; exit 7', said: ['no such package', 'some.sh failed'] },
    { what: 'a tool that hangs', tool: 'sleep 1000', limits: second, said: ['some.sh: not done'] },
    {
      what: 'a tool whose child outlives it',
      tool: `${survive}; sleep 1000`,
      limits: { SNOWGAUGE_CI_TOOL_SECONDS: '5' },
      said: ['some.sh: not done'],
      survives: true,
    },
    { what: 'a known advisory', audit: 'process.exitCode = 1;', said: ['npm audit failed'] },
    { what: 'checks that hang', checks: hangs, limits: { SNOWGAUGE_CI_CHECK_SECONDS: '1' }, said: ['the checks: not done'] },
    {
      what: 'checks whose child outlives them',
      checks: `(await import('node:child_process')).spawnSync('sh', ['-c', '${survive}'], { stdio: 'inherit' }); ${hangs}`,
      limits: { SNOWGAUGE_CI_CHECK_SECONDS: '5' },
      said: ['the checks: not done'],
      survives: true,
    },
    {
      what: 'a tool that takes all the time',
      tool: 'sleep 1000',
      limits: { SNOWGAUGE_CI_SECONDS: '1' },
      said: ['some.sh: not done'],
    },
    {
      what: 'checks without a summary',
      checks: "console.log('Killed');",
      said: ['Killed', 'ended before the tests were summed up'],
    },
    {
      what: 'checks that fail',
      checks: "console.log('2 passed, 1 failed'); process.exitCode = 1;",
      said: [],
      last: '2 passed, 1 failed',
    },
  ])('ends with the summary line after $what', async ({ said, last = '0 passed, 1 failed', survives = false, ...given }) => {
    const { code, lines, survivor } = await ended(given);
    expect(survivor > 0).toBe(survives);
    expect({ code, last: lines.at(-1) }).toEqual({ code: 1, last });
    for (const words of said) expect(lines.join('\n')).toContain(words);
  });
});
