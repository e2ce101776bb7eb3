import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { open, readFile, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { bundle } from '../support/bundle.ts';
import { capturedReports } from '../support/captures.ts';
import { typed } from '../support/command.ts';
import { temporaryFolder } from '../support/events.ts';
import { freePort } from '../support/free-port.ts';
import { containersOf, serveIndex } from '../support/index-server.ts';
import { noDisk, smallDisk } from '../support/small-disk.ts';

interface Running {
  readonly exit: Promise<number | null>;
  readonly out: () => string;
  readonly kill: (signal: NodeJS.Signals) => void;
  /** Resolves with the first group of `pattern` once the output matches. */
  readonly says: (pattern: RegExp) => Promise<string>;
}

const started: { kill: (signal: NodeJS.Signals) => boolean }[] = [];
afterAll(() => {
  for (const child of started) child.kill('SIGKILL');
});

const snowgauge = (args: readonly string[], env: Record<string, string> = {}): Running => {
  const child = spawn(process.execPath, [bundle, ...args], {
    env: { PATH: process.env.PATH ?? '', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  started.push(child);
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (text += chunk.toString()));
  // 'close' rather than 'exit': the last output may not have been read at 'exit'.
  const exit = once(child, 'close').then(([code]) => code as number | null);
  const says = async (pattern: RegExp): Promise<string> => {
    await expect.poll(() => pattern.test(text), { timeout: 280_000, message: `${pattern} in the output` }).toBe(true);
    return pattern.exec(text)?.[1] ?? '';
  };
  return { exit, out: () => text, kill: (signal) => child.kill(signal), says };
};

const get = async (url: string): Promise<{ status: number; text: string }> => {
  const response = await fetch(url, { signal: AbortSignal.timeout(280_000) });
  return { status: response.status, text: await response.text() };
};

/** An import that prints the loaded Node.js modules matching `pattern` at exit. */
const tellsLoaded = (pattern: RegExp): string => `
  process.on('exit', () => console.error('LOADED: ' + process.moduleLoadList.filter((name) => ${pattern}.test(name)).join() + '.'));
`;

const asModule = (text: string): string => `data:text/javascript,${encodeURIComponent(text)}`;

describe('snowgauge run', () => {
  test('serves /metrics while the node is down and exits with 0 on SIGTERM', async () => {
    const running = snowgauge(['run', '--listen', '127.0.0.1:0'], { SNOWGAUGE_URL: 'http://127.0.0.1:9' });
    const url = await running.says(/"url":"(http:[^"]+)"/);
    const page = await get(`${url}/metrics`);
    expect(page.status).toBe(200);
    expect(page.text).toContain('snowgauge_build_info');
    await expect.poll(async () => (await get(`${url}/metrics`)).text).toContain('snowgauge_up{target="node"} 0');
    expect((await get(`${url}/readyz?verbose`)).text).toContain('[+]poller ok');
    running.kill('SIGTERM');
    expect(await running.exit).toBe(0);
  });

  test('does not load undici, which costs 10 MB and fails under --jitless', async () => {
    const env = { SNOWGAUGE_URL: 'http://127.0.0.1:9', NODE_OPTIONS: `--import=${asModule(tellsLoaded(/undici/))}` };
    const running = snowgauge(['run', '--listen', '127.0.0.1:0'], env);
    const url = await running.says(/"url":"(http:[^"]+)"/);
    await expect
      .poll(async () => (await get(`${url}/metrics`)).text)
      .toMatch(/snowgauge_polls_total{target="node",api="health",outcome="refused"} [1-9]/);
    running.kill('SIGTERM');
    expect(await running.exit).toBe(0);
    expect(running.out()).toContain('LOADED: .');
  });

  test('reports a configuration that needs more memory than the heap, and exits with 2', async () => {
    const file = join(await temporaryFolder(), 'snowgauge.yaml');
    await writeFile(file, `targets:\n${'- {}\n'.repeat(200_000)}`);
    const running = snowgauge(['run', '--config', file], { NODE_OPTIONS: '--max-old-space-size=48' });
    expect(await running.exit).toBe(2);
    expect(running.out()).toMatch(
      /snowgauge\.yaml: reading it takes more memory than the heap of \d+ MiB: raise the memory limit, or/,
    );
  });

  test('prints every configuration error and exits with 2', async () => {
    const running = snowgauge(['run'], { SNOWGAUGE_URL: 'ftp://node', SNOWGAUGE_LISTEN_PORT: 'many' });
    expect(await running.exit).toBe(2);
    expect(running.out()).toContain('SNOWGAUGE_LISTEN_PORT');
    expect(running.out()).toContain('url');
  });

  test('attributes an invalid --listen to the flag', async () => {
    const { code, stderr } = await typed(['run', '--listen', '9999999'], { env: { SNOWGAUGE_URL: 'http://127.0.0.1:9' } });
    expect(code).toBe(2);
    expect(stderr).toMatch(/^snowgauge run: --listen: "9999999" is not an address/);
  });

  test('names the port in use and --listen, and exits with 2', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    onTestFinished(() => void other.close());
    await once(other, 'listening');
    const address = other.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const running = snowgauge(['run', '--listen', `127.0.0.1:${port}`]);
    expect(await running.exit).toBe(2);
    expect(running.out()).toContain(`port ${port} of 127.0.0.1 is already in use`);
    expect(running.out()).toContain('--listen');
  });
});

test('snowgauge node prints the errors of a scenario file and exits with 2', async () => {
  const file = join(await temporaryFolder(), 'scenario.yaml');
  await writeFile(file, 'faults: [{ fault: nothing }]');
  const running = snowgauge(['node', '--scenario', file]);
  expect(await running.exit).toBe(2);
  expect(running.out()).toContain(`snowgauge node: ${file}:1: faults[0].fault: "nothing" must be one of `);
});

describe('snowgauge demo', () => {
  test("prints what to open and what will happen, serves the embedded node's metrics, and exits with 0 on SIGINT", async () => {
    const running = snowgauge(['demo', '--listen', '127.0.0.1:0', '--node-port', '0']);
    const metrics = await running.says(/metrics {7}(http:\S+)/);
    expect(running.out()).toContain('alpha loses stake');
    await expect
      .poll(async () => (await get(metrics)).text, { timeout: 280_000, interval: 500 })
      .toMatch(/snowgauge_health_healthy\{target="node",tag_set="alpha"\} [01]/);
    running.kill('SIGINT');
    expect(await running.exit).toBe(0);
    expect(running.out()).toContain('The demo has ended.');
    expect(running.out()).not.toContain('Warning');
  });

  test('names the node port in use and --node-port, and exits with 2', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    onTestFinished(() => void other.close());
    await once(other, 'listening');
    const address = other.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const running = snowgauge(['demo', '--listen', '127.0.0.1:0', '--node-port', `${port}`]);
    expect(await running.exit).toBe(2);
    expect(running.out()).toContain(
      `snowgauge demo: port ${port} on 127.0.0.1 is taken: choose another port for the node with --node-port (0 for any free port)`,
    );
  });
});

describe('snowgauge check and wait as processes', () => {
  test('check exits with 3 for an unreachable node and with 2 without arguments', async () => {
    const codes = [['check', 'http://127.0.0.1:9'], ['check']].map((args) => snowgauge(args).exit);
    expect(await Promise.all(codes)).toEqual([3, 2]);
  });

  test('wait exits with 130 on SIGINT', async () => {
    const running = snowgauge(['wait', 'http://127.0.0.1:9', '--interval', '1h']);
    await running.says(/(not ready after)/);
    running.kill('SIGINT');
    expect(await running.exit).toBe(130);
  });
});

/** Runs the command with `channel` on a full disk, and returns the exit code and the output of the other channel. */
const onFullDisk = async (channel: 'stdout' | 'stderr', args: readonly string[], file = '/dev/full') => {
  const full = await open(file, 'w');
  onTestFinished(() => full.close());
  const child = spawn(process.execPath, [bundle, ...args], {
    stdio: ['ignore', ...(channel === 'stdout' ? ([full.fd, 'pipe'] as const) : (['pipe', full.fd] as const))],
  });
  started.push(child);
  let other = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk: Buffer) => (other += chunk.toString()));
  const [code] = await once(child, 'close');
  return { code, other };
};

const savedReport = async (name: string): Promise<string> => {
  const file = join(await temporaryFolder(), 'report.json');
  await writeFile(file, JSON.stringify(capturedReports().find((one) => one.name.startsWith(`${name}/`))?.report));
  return file;
};

describe.skipIf(!existsSync('/dev/full'))('snowgauge on a full disk', () => {
  const noRoom = { code: 3, other: 'stdout: ENOSPC: no space left on device, write\n' };

  test.each(['healthy', 'unhealthy-disk-warning'])(
    'check exits with 3 and prints ENOSPC when stdout cannot be written: %s',
    async (name) => {
      expect(await onFullDisk('stdout', ['check', '-f', await savedReport(name)])).toEqual(noRoom);
    },
  );

  test('index verify and export - exit with 3 when stdout cannot be written', async () => {
    const { url } = await serveIndex({ containers: containersOf(3000) });
    expect(await onFullDisk('stdout', ['index', 'verify', url, 'P/block'])).toEqual(noRoom);
    expect(await onFullDisk('stdout', ['index', 'export', url, 'P/block', '-'])).toEqual(noRoom);
  });

  test('index export - exits with 3 when stdout has room for only part of the output', async ({ skip }) => {
    const disk = await smallDisk();
    if (disk === undefined) return skip(noDisk);
    const { url } = await serveIndex({ containers: containersOf(1000) });
    const file = join(disk.folder, 'out');
    expect(await onFullDisk('stdout', ['index', 'export', url, 'P/block', '-'], file)).toEqual(noRoom);
    expect((await stat(file)).size).toBe(65_536);
  });

  test('run keeps serving when stderr cannot be written', async () => {
    const full = await open('/dev/full', 'w');
    onTestFinished(() => full.close());
    const port = await freePort();
    const child = spawn(process.execPath, [bundle, 'run', '--listen', `127.0.0.1:${port}`], {
      env: { PATH: process.env.PATH ?? '', SNOWGAUGE_URL: 'http://127.0.0.1:9' },
      stdio: ['ignore', 'ignore', full.fd],
    });
    started.push(child);
    const exit = once(child, 'exit');
    const served = expect.poll(() => get(`http://127.0.0.1:${port}/livez`).catch(() => undefined)).toMatchObject({ status: 200 });
    await Promise.race([served, exit.then(([code]) => Promise.reject(new Error(`it ended with ${code}`)))]);
    child.kill('SIGTERM');
    expect((await exit)[0]).toBe(0);
  });

  test('check and index export keep their exit code and stdout when stderr cannot be written', async () => {
    expect(await onFullDisk('stderr', ['check', '-f', await savedReport('unhealthy-disk-warning')])).toMatchObject({ code: 1 });
    expect(await onFullDisk('stderr', ['check'])).toEqual({ code: 2, other: '' });
    const { url } = await serveIndex({ containers: containersOf(10) });
    const exported = await onFullDisk('stderr', ['index', 'export', url, 'P/block', '-']);
    expect(exported.code).toBe(0);
    expect(exported.other.split('\n')).toHaveLength(11);
  });
});

describe('snowgauge', () => {
  test('--help prints the default of a list option in words', async () => {
    const { code, stdout } = await typed(['safe-to-restart', '--help']);
    expect(code).toBe(0);
    expect(stdout).toContain('(default: all)');
    expect(stdout).not.toMatch(/\(default:\s+\[\]\)/);
  });

  test.each([
    { command: 'run', says: '(default: listen of the configuration, else 0.0.0.0:9652)' },
    { command: 'demo', says: '(default: 127.0.0.1:9652)' },
    { command: 'node', says: '(default: that of the scenario, else 1)' },
    { command: 'check', says: '(default: 512KiB for a health report, 5MiB for others, as in snowgauge run)' },
  ])('--help of $command describes a default that is not a constant', async ({ command, says }) => {
    expect((await typed([command, '--help'])).stdout.replace(/\s+/g, ' ')).toContain(says);
  });

  test.each([
    { command: ['run'], says: '3 with --pod: the number of shards did not become known' },
    { command: ['node'], says: '1 an index would be incomplete' },
    { command: ['rules'], says: '2 usage error' },
    { command: ['maintenance', 'end'], says: '1 there was no window to end' },
    { command: ['index', 'export'], says: '1 not found, not accepted, errors in the index, or nothing to export' },
  ])('--help of $command lists its exit codes', async ({ command, says }) => {
    const { stdout } = await typed([...command, '--help']);
    expect(stdout.replace(/\s+/g, ' ')).toMatch(new RegExp(`Exit codes: 0 .*${says}`));
  });

  test('maintenance --help names every kind of alert that fires during a window', async () => {
    const help = (await typed(['maintenance', '--help'])).stdout;
    for (const kind of ['identity', 'disagreeing replicas', 'rewards', 'staking', 'L1 balances']) expect(help).toContain(kind);
  });

  test('prints the error of an invalid argument once', async () => {
    const { code, stderr } = await typed(['index', 'range', 'http://127.0.0.1:9', 'P/block', '0', '5000']);
    const wrong = "'5000' is invalid for argument 'count'. It must be an integer from 0 to 1024.";
    expect({ code, stderr }).toEqual({ code: 2, stderr: `snowgauge index range: ${wrong}\n` });
  });

  test('are described in docs/commands.md, each under its name', async () => {
    const page = await readFile(new URL('../../docs/commands.md', import.meta.url), 'utf8');
    const described = [...page.matchAll(/^## (.+)$/gm)].flatMap(([, names = '']) => names.split(', '));
    const { stdout } = await typed(['--help']);
    const names = [...stdout.matchAll(/^ {2}([a-z][a-z-]+)(?= .*\S)/gm)]
      .map(([, name]) => name)
      .filter((name) => name !== 'help');
    expect(described.toSorted()).toEqual(names.toSorted());
  });

  test.each(['--help', '--version'])('%s loads no command module', async (flag) => {
    const asked = snowgauge([flag], { NODE_OPTIONS: `--import=${asModule(tellsLoaded(/ https$/))}` });
    expect(await asked.exit).toBe(0);
    expect(asked.out()).toContain('LOADED: .');
  });

  test.each([
    { argv: ['help', 'index', 'get'], usage: 'Usage: snowgauge index get [options] <url> <path>' },
    { argv: ['--', 'help', 'check'], usage: 'Usage: snowgauge check [options] [url]' },
  ])('prints the help of a command for $argv', async ({ argv, usage }) => {
    const { code, stdout } = await typed(argv);
    expect(code).toBe(0);
    expect(stdout).toContain(usage);
  });

  test('--help lists the commands, and an unknown command exits with 2', async () => {
    const help = snowgauge(['--help']);
    expect(await help.exit).toBe(0);
    for (const command of ['run', 'node', 'demo', 'check', 'debug', 'wait', 'explain', 'diff', 'config'])
      expect(help.out()).toMatch(new RegExp(`^ {2}${command}\\b`, 'm'));
    for (const argv of [['watch'], ['help', 'watch']])
      expect(await typed(argv)).toMatchObject({ code: 2, stderr: expect.stringContaining("unknown command 'watch'") });
  });
});
