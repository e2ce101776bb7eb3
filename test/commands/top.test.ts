// `snowgauge top` against a running server: once as text and JSON, and live in a real terminal.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import { fleetOfSize, node, subnet } from '../server/fleet/world.ts';
import { bundle } from '../support/bundle.ts';
import { fileOf, typed } from '../support/command.ts';
import { serveExporter, stateOf } from '../support/exporter-server.ts';
import { serveHttp, serveSocket } from '../support/serve.ts';
import { targetKnowing, targetOptions, targetsOf } from '../support/snapshot.ts';
import { describeWith } from '../support/tools.ts';

/** Tolerates a machine that is busy or stalls for some seconds. */
const patient = ['--timeout', '5m'];

/** Only the mainnet node has the label; those on fuji have none. */
const withoutLabel = [0, 1, 2].map((at) => {
  const state = node(at);
  return at === 1 ? state : { ...state, options: { ...state.options, labels: {} } };
});

const namesIn = (text: string): readonly string[] => [...text.matchAll(/^(node-\d+)/gm)].map(([, name = '']) => name);

test('prints the fleet once without a terminal, the worst target first', async () => {
  const { url } = await serveExporter({ targets: fleetOfSize(12, [7]) });
  const { code, stdout, stderr } = await typed(['top', url, ...patient]);
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toContain('12 targets: 1 failing, 0 uncertain, 11 healthy');
  expect(stdout).toMatch(/my-l1 +11 of 12 +0 s/);
  expect(namesIn(stdout).slice(0, 2)).toEqual(['node-7', 'node-0']);
  expect(stdout).not.toContain('\u001b');
});

test('filters and groups by the options', async () => {
  const { url } = await serveExporter({ targets: fleetOfSize(12, [7]) });
  const only = async (...flags: readonly string[]) => (await typed(['top', url, '--once', ...patient, ...flags])).stdout;
  expect(namesIn(await only('--network', 'fuji', '--label', 'cluster=us'))).toEqual([]);
  expect(namesIn(await only('--label', 'cluster=us', '--subnet', subnet))).toHaveLength(6);
  expect(await only('--by', 'cluster')).toMatch(/CLUSTER[\s\S]*us +5 of 6/);
});

test.each([
  { flags: ['--network', 'fuij'], says: ['unknown network "fuij": expected one of fuji, mainnet'] },
  { flags: ['--subnet', 'my-l2'], says: ['unknown subnet "my-l2": expected one of all, my-l1'] },
  { flags: ['--label', 'cluster=ue'], says: ['unknown value of label cluster "ue": expected one of eu, us'] },
  { flags: ['--label', 'clustr=eu'], says: ['unknown value of label clustr "eu": there is none'] },
  {
    flags: ['--network', 'x', '--subnet', 'y'],
    says: ['unknown network "x": expected one of fuji, mainnet', 'unknown subnet "y": expected one of all, my-l1'],
  },
])('prints that no target matches $flags, with the known values', async ({ flags, says }) => {
  const { url } = await serveExporter({ targets: fleetOfSize(4, [1]) });
  const { code, stdout } = await typed(['top', url, '--once', ...patient, ...flags]);
  expect([code, stdout.split('\n').slice(2)]).toEqual([0, ['', ...says.map((why) => `no target matches: ${why}`), '']]);
});

test('prints that no target matches all filters when each one matches some targets', async () => {
  const { url } = await serveExporter({ targets: fleetOfSize(4) });
  const flags = ['--network', 'fuji', '--subnet', subnet, '--label', 'cluster=us'];
  const { stdout } = await typed(['top', url, '--once', ...patient, ...flags]);
  expect(stdout).toMatch(/^0 of 4 targets: .*\n.*\n\nno target matches all filters\n$/);
});

test('requests the values of a label once when --label is repeated', async () => {
  const { url } = await serveExporter({ targets: fleetOfSize(4) });
  const asked: string[] = [];
  const server = await serveHttp(async ({ url: path = '' }, response) => {
    asked.push(path.replace('/api/v1/fleet?', ''));
    response.end(await (await fetch(`${url}${path}`)).text());
  });
  onTestFinished(() => server.close());
  const { stdout } = await typed(['top', server.url, '--once', ...patient, '--label', 'cluster=ue', '--label', 'cluster=su']);
  for (const value of ['ue', 'su'])
    expect(stdout).toContain(`no target matches: unknown value of label cluster "${value}": expected one of eu, us\n`);
  expect(asked).toEqual([
    'label=cluster%3Due&label=cluster%3Dsu',
    'label=cluster%3Due&limit=1',
    'by=cluster&limit=1',
    'label=cluster%3Dsu&limit=1',
  ]);
});

test('a subnet that is not among the groups of the response is known', async () => {
  const tagSets = Array.from({ length: 60 }, (_, at) => ({ name: `subnet-${at}`, tags: [`id-${at}`] }));
  const options = targetOptions({ labels: { cluster: 'eu' }, tagSets: [{ name: 'all', tags: [] }, ...tagSets] });
  const targets = targetsOf(targetKnowing(options));
  const { url } = await serveExporter({ targets });
  const { stdout } = await typed(['top', url, '--once', ...patient, '--subnet', 'id-58', '--label', 'cluster=ue']);
  expect(stdout.match(/no target matches: .*/g)).toEqual([
    'no target matches: unknown value of label cluster "ue": expected one of eu',
  ]);
});

test.each([
  { flags: ['--by', 'clustr'] },
  { flags: ['--by', 'clustr', '--network', 'fuji'] },
  { flags: ['--by', 'clustr', '--network', 'fuij', '--output', 'json'] },
])('rejects $flags and prints what targets can be grouped by', async ({ flags }) => {
  const { url } = await serveExporter({ targets: fleetOfSize(4) });
  const ran = await typed(['top', url, '--once', ...patient, ...flags]);
  const stderr = `snowgauge top: ${url}: unknown value of by "clustr": expected one of subnet, network, cluster\n`;
  expect(ran).toMatchObject({ code: 2, stdout: '', stderr });
});

test.each([
  { title: 'there are no targets', targets: new Map(), flags: ['--by', 'clustr'] },
  {
    title: 'no matching target has the label',
    targets: targetsOf(...withoutLabel),
    flags: ['--by', 'cluster', '--network', 'fuji'],
  },
])('accepts --by if $title', async ({ targets, flags }) => {
  const { url } = await serveExporter({ state: () => stateOf(targets) });
  expect(await typed(['top', url, '--once', ...patient, ...flags])).toMatchObject({ code: 0, stderr: '' });
});

test('prints failing discovery sources and the targets they do not watch', async () => {
  const unwatched = [{ reason: 'refused', targets: 4, message: 'refuse connections', examples: ['a:9650'] }];
  const discovery = [{ source: 'file/0', successful: false, failure: 'no such file', targets: 0, unwatched }];
  const { url } = await serveExporter({ state: () => stateOf(new Map(), { discovery }) });
  const { stdout } = await typed(['top', url, ...patient]);
  expect(stdout).toContain('\ndiscovery file/0: failing: no such file\n');
  expect(stdout).toContain('\ndiscovery file/0: 4 refused: refuse connections (a:9650)\n');
});

test('prints the API response as JSON', async () => {
  const { url } = await serveExporter({ targets: fleetOfSize(4) });
  const { stdout } = await typed(['top', url, ...patient, '--output', 'json']);
  expect(JSON.parse(stdout)).toEqual(JSON.parse(await (await fetch(`${url}/api/v1/fleet`)).text()));
});

test.each([
  { argv: ['top', 'nonsense'], code: 2, says: 'URL' },
  { argv: ['top', '--label', 'cluster'], code: 2, says: '--label: "cluster" must be written NAME=VALUE' },
  { argv: ['top', '--label', '=eu'], code: 2, says: '--label: "=eu" must be written NAME=VALUE' },
  { argv: ['top', '--interval', '1ms'], code: 2, says: '--interval: 1ms is out of range' },
  { argv: ['top', '--ca-file', '/nowhere'], code: 2, says: '--ca-file' },
  { argv: ['top', 'http://127.0.0.1:9'], code: 3, says: 'connection refused' },
])('$argv exits with $code', async ({ argv, code, says }) => {
  const ran = await typed(argv);
  expect(ran.code).toBe(code);
  expect(ran.stderr).toContain(says);
});

test.each([
  { flag: '--bearer-file', secret: 'S3CRETTOKEN1234567', status: 401 },
  { flag: '--basic-file', secret: 'ann:S3CRETPASSWORD12', status: 401 },
  { flag: '--bearer-file', secret: 'S3CRETTOKEN1234567', status: 200 },
])('redacts a credential from $flag in a response of status $status', async ({ flag, secret, status }) => {
  const { url } = await serveExporter({ targets: fleetOfSize(1, [0]) });
  const fleet = await (await fetch(`${url}/api/v1/fleet`)).text();
  const server = await serveHttp(({ headers: { authorization = '' } }, response) => {
    const body = status === 200 ? fleet.replaceAll('node-0', `node-${authorization}`) : JSON.stringify({ error: authorization });
    response.writeHead(status).end(body);
  });
  onTestFinished(() => server.close());
  const { stdout, stderr } = await typed(['top', server.url, '--once', ...patient, flag, await fileOf(secret)]);
  expect(stdout + stderr).toContain('***');
  for (const one of [secret, Buffer.from(secret).toString('base64')]) expect(stdout + stderr).not.toContain(one);
});

test('exits with 3 for a server that switches protocols', async () => {
  const server = await serveSocket((socket) => {
    socket.once('data', () => socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n'));
  });
  onTestFinished(() => server.close());
  const { code, stderr } = await typed(['top', server.url, '--once', ...patient]);
  expect([code, stderr]).toEqual([
    3,
    `snowgauge top: ${server.url}: HTTP status 101, not a response of snowgauge: is this its URL?\n`,
  ]);
});

test.each(['groups', 'targets', 'tagSets', 'conditions', 'reasons'])(
  'exits with 3 for a response with a million invalid %s',
  async (list) => {
    const { url } = await serveExporter({ targets: fleetOfSize(1, [0]) });
    const fleet = JSON.parse(await (await fetch(`${url}/api/v1/fleet`)).text());
    const text = JSON.stringify(fleet, (key, value) => (key === list ? 'WRONG' : value));
    const server = await serveHttp((_, response) => response.end(text.replace('"WRONG"', `[0${',0'.repeat(1_000_000)}]`)));
    onTestFinished(() => server.close());
    expect(text).toContain('WRONG');
    const { code, stderr } = await typed(['top', server.url, '--once', ...patient]);
    expect([code, stderr]).toEqual([
      3,
      `snowgauge top: ${server.url}: HTTP status 200, not a response of snowgauge: is this its URL?\n`,
    ]);
  },
);

test('prints the error of a response with status 401, with the secret redacted', async () => {
  const server = await serveHttp(({ headers }, response) =>
    response.writeHead(401, { 'Content-Type': 'text/plain' }).end(`no ${headers.authorization}\nor so\n`),
  );
  onTestFinished(() => server.close());
  const { code, stderr } = await typed(['top', server.url, ...patient, '--bearer-file', await fileOf('a-long-secret\n')]);
  expect([code, stderr]).toEqual([3, `snowgauge top: ${server.url}: HTTP status 401: no ***\n`]);
});

test('sends the credentials from the file', async () => {
  const seen: (string | undefined)[] = [];
  const { url } = await serveExporter({
    routes: ({ sender }) => {
      seen.push(sender.headers.authorization);
      return { status: 401, headers: {}, body: 'no' };
    },
  });
  const ran = await typed(['top', url, ...patient, '--basic-file', await fileOf('ann:secret\n')]);
  expect(seen).toEqual([`Basic ${Buffer.from('ann:secret').toString('base64')}`]);
  expect([ran.code, ran.stderr]).toEqual([
    3,
    `snowgauge top: ${url}: HTTP status 401, not a response of snowgauge: is this its URL?\n`,
  ]);
});

describeWith(['script', 'stty'], 'snowgauge top in a terminal', () => {
  /** Runs top in a terminal of 90 columns and 20 rows. */
  const inTerminal = async (url: string) => {
    const top = `"${process.execPath}" "${bundle}" top ${url} --interval 500ms`;
    const command = `stty cols 90 rows 20; sh -c 'echo pid $$; exec ${top}'; echo "code $?"; stty -a`;
    const child = spawn('script', ['-qfec', command, '/dev/null'], { stdio: ['pipe', 'pipe', 'inherit'] });
    onTestFinished(() => void child.kill('SIGKILL'));
    let drawn = '';
    child.stdout.on('data', (chunk: Buffer) => {
      drawn += chunk.toString();
    });
    // 'close' rather than 'exit': the last output may not have been read at 'exit'.
    const ended = once(child, 'close');
    const see = (text: string | RegExp) => expect.poll(() => drawn).toMatch(text);
    return {
      see,
      type: (keys: string) => child.stdin.write(keys),
      ended,
      drawn: () => drawn,
      forget: () => {
        drawn = '';
      },
      child,
    };
  };

  test('updates the screen, handles keys and restores the terminal on q', async () => {
    let targets = fleetOfSize(30, [7]);
    const { url } = await serveExporter({ state: () => stateOf(targets, { version: targets.size }) });
    const terminal = await inTerminal(url);
    await terminal.see('30 targets: 1 failing');
    expect(terminal.drawn()).toContain('\u001b[?1049h');
    targets = fleetOfSize(31, [7, 8]);
    await terminal.see('31 targets: 2 failing');
    terminal.forget();
    terminal.type('/node-8\r');
    await terminal.see('name: node-8 ');
    terminal.forget();
    terminal.type('q');
    await terminal.ended;
    expect(terminal.drawn()).toContain('\u001b[?25h\u001b[?1049l');
    expect(terminal.drawn()).toContain('code 0');
    // The shell needs canonical mode and echo.
    expect(terminal.drawn()).toMatch(/ icanon[\s\S]* echo /);
  });

  test('scrolls back with the first Up after scrolling past the end', async () => {
    const { url } = await serveExporter({ targets: fleetOfSize(30) });
    const terminal = await inTerminal(url);
    await terminal.see('30 targets');
    terminal.type(`s${'j'.repeat(60)}`);
    await terminal.see(/node-9 .*\s+.*sort: name/);
    terminal.forget();
    terminal.type('\u001b[A');
    await terminal.see(/node-8 .*\s+.*sort: name/);
    terminal.type('q');
    await terminal.ended;
  });

  test('restores the terminal and exits with 2 for an invalid --by', async () => {
    const { url } = await serveExporter({ targets: fleetOfSize(5) });
    const terminal = await inTerminal(`${url} --by clustr`);
    await terminal.ended;
    expect(terminal.drawn()).toMatch(/\?1049lsnowgauge top: .* unknown value of by "clustr": expected one of .*\s+code 2/);
    expect(terminal.drawn()).toMatch(/ icanon[\s\S]* echo /);
  });

  test.each([{ how: 'SIGINT' }, { how: 'Ctrl-C' }])(
    'shows that the server is disconnected, and restores the terminal on $how',
    async ({ how }) => {
      const server = await serveExporter({ targets: fleetOfSize(5) });
      const terminal = await inTerminal(server.url);
      await terminal.see('5 targets');
      await server.close();
      await terminal.see('Disconnected for');
      const pid = Number(/pid (\d+)/.exec(terminal.drawn())?.[1]);
      if (how === 'SIGINT') process.kill(pid, how);
      else terminal.type('\u0003');
      await terminal.ended;
      expect(terminal.drawn()).toContain('\u001b[?1049l');
      expect(terminal.drawn()).toMatch(/ icanon/);
    },
  );
});
