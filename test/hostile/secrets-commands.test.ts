// Runs every command that takes a URL or a credential against a server that echoes both wherever it can: the output contains neither.

import { expect, onTestFinished, test } from 'vitest';
import { drawn } from '../support/cases.ts';
import { fileOf, typed } from '../support/command.ts';
import { serveHttp } from '../support/serve.ts';
import { echo, expectNone, marked, markedDigits } from './secrets.ts';

const hows = ['echo', 'denied', 'refused', 'forbidden', 'redirect', 'malformed', 'mistyped'];
const index = ['P/block'];

/** Arguments of each command after the URL; undefined: it sends no requests. */
const commands: Readonly<Record<string, readonly (readonly string[])[] | undefined>> = {
  run: undefined,
  node: undefined,
  demo: undefined,
  drill: undefined,
  rules: undefined,
  check: [[], ['--output', 'json']],
  // The fake clock ends it after the first poll.
  wait: [
    ['--timeout', '5m', '--interval', '50ms'],
    ['--timeout', '5m', '--interval', '50ms', '--output', 'json'],
  ],
  explain: [[], ['--output', 'json']],
  diff: [['http://127.0.0.1:9/SECOND']],
  debug: [[], ['--json']],
  index: [
    ['get', 'URL', ...index, '--last', '--tries', '1'],
    ['number', 'URL', ...index, 'a', '--tries', '1'],
    ['accepted', 'URL', ...index, 'a', '--tries', '1'],
    ['range', 'URL', ...index, '0', '1', '--tries', '1'],
    ['walk', 'URL', ...index, '--tries', '1'],
    ['verify', 'URL', ...index, '--tries', '1'],
    ['export', 'URL', ...index, '/does/not/exist/file', '--tries', '1'],
  ],
  top: [['--once'], ['--once', '--output', 'json']],
  'safe-to-restart': [[], ['--output', 'json'], ['http://127.0.0.1:9/SECOND'], ['--target', 'SECOND'], ['--url', 'URL']],
  maintenance: [['list', '--url', 'URL']],
  config: undefined,
};

test('the table lists every command of --help', async () => {
  const { stdout } = await typed(['--help']);
  const names = Array.from(stdout.matchAll(/^ {2}([a-z][a-z-]+)(?= .*\S)/gm), ([, name]) => name).filter(
    (name) => name !== 'help',
  );
  expect(names.toSorted()).toEqual(Object.keys(commands).toSorted());
});

test.each(
  drawn(
    hows.flatMap((how) =>
      Object.entries(commands).flatMap(([command, all = []]) => (all.length === 0 ? [] : [{ how, command, all }])),
    ),
  ),
)('$command prints no secret if the server responds with $how', async ({ how, command, all }) => {
  const secrets = { ...marked('key', 'second', 'password'), token: markedDigits() };
  const seen: string[] = [];
  const server = await serveHttp(echo(seen));
  onTestFinished(() => server.close());
  const url = `${server.url}/as-${how}/${secrets.key}`;
  let looks = 0;
  const now = (): number => {
    looks += 1;
    return Date.now() / 1000 + (command === 'wait' ? 300 * looks : 0);
  };
  const credentials = { '--bearer-file': await fileOf(secrets.token), '--basic-file': await fileOf(`user:${secrets.password}`) };
  for (const [flag, file] of Object.entries(credentials))
    for (const more of all) {
      const given = more.map((one) => (one === 'URL' ? url : one.replace('SECOND', secrets.second)));
      const own = command === 'maintenance' ? ['--token-file', credentials['--bearer-file']] : [flag, file];
      const argv = [command, ...(more.includes('URL') ? [] : [url]), ...given, ...own];
      const { stdout, stderr, code } = await typed(argv, { now });
      expect(code, `${argv.join(' ')}: ${stderr}`).not.toBe(undefined);
      expectNone({ [argv.slice(0, 2).join(' ').replace(url, 'URL')]: stdout + stderr }, secrets);
    }
  // Without a request nothing would be tested.
  expect(seen.join(' ')).toContain(secrets.key);
  expect(seen.join(' ')).toContain(secrets.token);
});

test.each(Object.entries(commands).filter(([, all]) => all !== undefined))(
  '%s shows no secret of an invalid URL',
  async (command, all = []) => {
    const secrets = marked('password', 'query', 'path');
    for (const url of [
      `http://u:${secrets.password}@127.0.0.1:9`,
      `http://h/?k=${secrets.query}`,
      `http://h/${secrets.path}/ext/health`,
      ...(command === 'diff' ? [] : [`h/${secrets.path}`]),
    ]) {
      const [first = []] = all;
      const argv = [command, ...(first.includes('URL') ? [] : [url]), ...first.map((one) => one.replace('URL', url))];
      const { stdout, stderr, code } = await typed(argv);
      expect(code).toBeGreaterThan(1);
      expectNone({ [command]: stdout + stderr }, secrets);
    }
  },
);
