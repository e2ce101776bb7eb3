// The flags of the node: parsed as the real node does, with all errors reported at once.

import { expect, onTestFinished, test } from 'vitest';
import { nodeCommand } from '../../src/commands/node.ts';
import { silentLog } from '../../src/log.ts';
import { startNode } from '../../src/node/node.ts';
import { defaultNodeOptions, readNodeOptions } from '../../src/node/options.ts';
import { subnetIdOf } from '../../src/node/scenario.ts';
import { listeningLog } from '../support/events.ts';
import { scenarioFrom, startTestNode } from '../support/node.ts';
import { askRaw } from '../support/raw-http.ts';

test('without flags the options are the defaults', () => {
  expect(readNodeOptions({})).toEqual({ kind: 'ok', options: defaultNodeOptions });
});

test.each([
  [true, true],
  ['true', true],
  ['T', true],
  ['1', true],
  ['false', false],
  ['F', false],
  ['0', false],
])('--index-enabled given as %j is %j', (given, indexEnabled) => {
  expect(readNodeOptions({ 'index-enabled': given })).toMatchObject({ options: { indexEnabled } });
});

test.each(['https://*.a.example http://b', 'https://*.a.example,http://b', ' https://*.a.example, http://b '])(
  '--http-allowed-origins "%s" gives two origins: a real node separates them by spaces',
  (given) => {
    const httpAllowedOrigins = ['https://*.a.example', 'http://b'];
    expect(readNodeOptions({ 'http-allowed-origins': given })).toMatchObject({ options: { httpAllowedOrigins } });
  },
);

interface Ended {
  readonly stderr: string;
  readonly code: number | undefined;
}

/** Runs `snowgauge node` with these arguments until it ends, at the latest when `meanwhile` ends. */
const runWhile = async (meanwhile: (port: number) => Promise<void>, ...argv: readonly string[]): Promise<Ended> => {
  let stderr = '';
  let code: number | undefined;
  let asked: Promise<void> | undefined;
  const stop = new AbortController();
  const command = nodeCommand({
    env: {},
    stdout: () => undefined,
    stderr: (text) => {
      stderr += text;
    },
    signal: stop.signal,
    now: () => Date.now() / 1000,
    version: '0',
    isTerminal: false,
    exit: (given) => {
      code = given;
    },
    log: {
      ...silentLog,
      info: ({ port }, message) => {
        if (message === 'node listening') asked = meanwhile(Number(port)).finally(() => stop.abort());
      },
    },
  });
  await command.parseAsync([...argv], { from: 'user' });
  await asked;
  return { stderr, code };
};

const run = (...argv: readonly string[]): Promise<Ended> => runWhile(async () => undefined, ...argv);

test('a repeated --http-allowed-hosts adds to the list, as in a real node', async () => {
  const statuses: number[] = [];
  const ask = async (port: number): Promise<void> => {
    for (const Host of ['a.example', 'b.example', 'c.example', 'localhost'])
      statuses.push((await askRaw(port, { method: 'GET', path: '/ext/health/liveness', headers: { Host } })).status);
  };
  const hosts = ['--http-allowed-hosts', 'a.example', '--http-allowed-hosts=b.example,c.example'];
  expect(await runWhile(ask, '--http-port=0', ...hosts)).toEqual({ stderr: '', code: undefined });
  expect(statuses).toEqual([200, 200, 200, 403]);
});

test('reports all errors at once, each with what to write instead, and exits with code 2', async () => {
  const { stderr, code } = await run(
    '--http-port=x',
    '--health-check-frequency=-1s',
    '--dialect=klingon',
    '--index-enabled=maybe',
    '--nonsense',
    '-http-prt=9650',
    '--seed',
  );
  expect(code).toBe(2);
  expect(stderr.trim().split('\n')).toEqual([
    'snowgauge node: --http-port: "x" must be an integer from 0 to 65535',
    'snowgauge node: --health-check-frequency: "-1s" must be from 1ms to 87600h',
    'snowgauge node: --index-enabled: "maybe" must be true or false: write true or false, or the flag alone',
    'snowgauge node: --dialect: "klingon" is not a dialect: write documented or avalanchego',
    'snowgauge node: --seed: needs a value',
    'snowgauge node: --nonsense: is not an option of this command: see snowgauge node --help',
    'snowgauge node: -http-prt=9650: is not an option of this command: did you mean --http-port?',
  ]);
});

test('rejects a duration without a unit and suggests one', async () => {
  const { stderr, code } = await run('--health-check-frequency', '30', '--http-shutdown-wait=1.5', '--seed', 'x');
  expect([stderr, code]).toEqual([
    'snowgauge node: --http-shutdown-wait: "1.5" is not a duration: write it as 1.5s\n' +
      'snowgauge node: --health-check-frequency: "30" is not a duration: write it as 30s\n' +
      'snowgauge node: --seed: "x" must be an integer from 0 to 4294967295\n',
    2,
  ]);
});

test('exits with code 2 if the scenario file does not exist', async () => {
  const { stderr, code } = await run('--scenario', '/nowhere/at/all.yaml');
  expect([stderr.startsWith('snowgauge node: /nowhere/at/all.yaml: cannot be read: there is no such file'), code]).toEqual([
    true,
    2,
  ]);
});

test('names a port in use and the flags that choose another, and exits with code 2', async () => {
  const other = await startTestNode();
  const { stderr, code } = await run('--http-port', String(other.port));
  expect(stderr).toBe(
    `snowgauge node: port ${other.port} on 127.0.0.1 is taken: choose another with --http-port (0 for any free port), or another address with --http-host\n`,
  );
  expect(code).toBe(2);
});

test('exits with code 2 if the data dir cannot be made', async () => {
  const { stderr, code } = await run('--http-port=0', '--data-dir', '/dev/null/data');
  expect([stderr.startsWith('snowgauge node: the data dir /dev/null/data cannot be made: ENOTDIR'), code]).toEqual([true, 2]);
});

test('stops without output on an abort signal', async () => {
  expect(await run('--http-port=0', '--index-enabled')).toEqual({ stderr: '', code: undefined });
});

test('the log line "node listening" has the ids of the subnets', async () => {
  const { log, said } = listeningLog();
  const { signal } = new AbortController();
  const scenario = await scenarioFrom('subnets: [{ name: mine, chains: [{ alias: game }] }]');
  const node = await startNode({ ...defaultNodeOptions, httpPort: 0 }, { now: () => 1_800_000_000, log, signal, scenario });
  onTestFinished(() => node.close());
  const { subnets } = said.find(({ message }) => message === 'node listening')?.fields ?? {};
  expect(subnets).toEqual({ mine: subnetIdOf(scenario, 'mine') });
});
