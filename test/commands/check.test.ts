// `snowgauge check`: output and exit code for healthy, failing, silent and malformed nodes, and for saved reports.

import { open, writeFile } from 'node:fs/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { targetFrom } from '../../src/config/target.ts';
import { primaryNetworkId } from '../../src/protocol/id.ts';
import { capturedReports } from '../support/captures.ts';
import { fileOf, typed } from '../support/command.ts';
import { roundsToSettle, startTestNode } from '../support/node.ts';
import { describeWithPipes, makePipe } from '../support/pipes.ts';
import { closedPort, type Served, serveAnswer, serveHttp, serveSocket } from '../support/serve.ts';

const subnet = 'DdGSME2XkcZDyjhZ5dPpHQexHr4WAbXrmDL8wKwEdQsDBJuqQ';
const patient = ['--timeout', '50s'];

const settled = async (scenario = '') => {
  const node = await startTestNode({}, scenario);
  await node.ticks(roundsToSettle);
  return node;
};

const used = async (server: Promise<Served>): Promise<string> => {
  const { url, close } = await server;
  onTestFinished(() => close());
  return url;
};

const captured = (name: string): unknown => capturedReports().find((one) => one.name.startsWith(`${name}/`))?.report;

const well = '{"healthy":true,"checks":{"bootstrapped":{"timestamp":"2027-01-15T08:00:00Z","duration":1}}}';

const failingReport = (check: string, error: string): object => ({
  healthy: false,
  checks: { [check]: { error, timestamp: '2027-01-15T08:00:00Z', duration: 1000, contiguousFailures: 2 } },
});

describe('snowgauge check of a node', () => {
  test('exits with 0 for a healthy node', async () => {
    const { url } = await settled();
    expect(await typed(['check', url, ...patient])).toEqual({
      stdout: expect.stringMatching(
        /^healthy: True ChecksPassing: \d+ checks pass\nready: True ChecksPassing: every check passes\n$/,
      ),
      stderr: '',
      code: 0,
    });
  });

  test('exits with 1 for a failing check, and prints the check, its reason and its error', async () => {
    const { url } = await settled('faults: [{ fault: check-fails, at: 0s, check: database, error: closed }]');
    expect(await typed(['check', url, ...patient])).toEqual({
      stdout: expect.stringMatching(
        /^healthy: False ChecksFailing: 1 of \d+ checks fails: database: database \(closed\)\nready: False ChecksFailing: database: database \(closed\)\n$/,
      ),
      stderr: '',
      code: 1,
    });
  });

  test('exits with 0 for a known tag and with 3 for an unknown one, also beside a known tag', async () => {
    const { url } = await settled(`subnets: [{ name: mine, id: ${subnet}, chains: [{ alias: my-l1 }] }]`);
    const check = (...tags: readonly string[]) => typed(['check', url, ...patient, ...tags.flatMap((tag) => ['--tag', tag])]);
    expect(await check(subnet)).toMatchObject({ code: 0 });
    expect(await check(subnet, primaryNetworkId, 'application', 'all')).toMatchObject({ code: 0 });
    expect(await check('my-l1')).toMatchObject({
      code: 3,
      stdout: expect.stringMatching(
        /^healthy: Unknown UnknownTag: the node has no check with tag "my-l1", so only global checks/,
      ),
    });
    expect(await check(subnet, 'typo')).toMatchObject({ code: 3, stdout: expect.stringContaining('no check with tag "typo"') });
  });

  test('with stake-disconnected is unhealthy and ready: --for selects the exit code', async () => {
    const faults = 'faults: [{ fault: stake-disconnects, at: 0s, chain: C, percentConnected: 0.6 }]';
    const { url } = await settled(faults);
    const check = (...args: readonly string[]) => typed(['check', url, ...patient, ...args]);
    const both = await check();
    expect(both).toMatchObject({
      stdout: expect.stringMatching(
        /^healthy: False ChecksFailing: 1 of .*\nready: True FailuresIgnored: .*ignored: C: stake-disconnected .*\n$/,
      ),
      code: 1,
    });
    expect(await check('--for', 'ready')).toEqual({ ...both, code: 0 });
    expect(await check('--for', 'ready', '--ignore-reason', 'none')).toMatchObject({ code: 1 });
    expect(await check('--for', 'ready', '--ignore-reason', 'peers', '--ignore-check', 'C')).toMatchObject({ code: 0 });
  });

  test('reports readiness as Unknown when no check has run for ten minutes', async () => {
    const node = await settled();
    node.advance(600);
    const check = (...args: readonly string[]) => typed(['check', node.url, ...patient, ...args], { now: () => 1_800_000_600 });
    expect(await check()).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(
        /^healthy: True .*\nready: Unknown AwaitingRuns: the checks last ran 10 min ago.*\nnote: no check has run for 10 min; \S+ ran longest ago\n$/,
      ),
    });
    expect(await check('--for', 'ready')).toMatchObject({ code: 3 });
    expect(await check('--for', 'ready', '--health-check-frequency', '5m')).toMatchObject({ code: 0 });
    expect(await check('--max-age', '2m')).toMatchObject({
      code: 3,
      stdout: expect.stringMatching(/^healthy: Unknown ReportStale: no check has run for 10 min, longer than --max-age/),
    });
  });

  test('reports a health report older than 20 minutes as HealthFrozen', async () => {
    const node = await settled();
    node.advance(1200);
    const { stdout, code } = await typed(['check', node.url, ...patient], { now: () => 1_800_001_200 });
    expect(stdout).toMatch(/^healthy: Unknown HealthFrozen: no check has run for .*\nready: Unknown HealthFrozen: /);
    expect(code).toBe(3);
  });

  test.each([
    { does: 'is not listening', url: async () => `http://127.0.0.1:${await closedPort()}`, says: /connection refused/ },
    { does: 'closes the connection', url: () => used(serveSocket((socket) => socket.destroy())), says: /connection reset/ },
    { does: 'answers with invalid JSON', url: () => used(serveAnswer(200, 'no')), says: /not JSON/ },
    { does: 'answers with an empty body', url: () => used(serveAnswer(503, '')), says: /empty body/ },
    { does: 'answers 404', url: () => used(serveAnswer(404, 'page not found')), says: /HTTP status 404/ },
    {
      does: 'does not allow the Host header',
      url: () => used(serveAnswer(403, 'invalid host specified\n')),
      says: /--http-allowed-hosts/,
    },
  ])('exits with 3 and prints the reason for a node that $does', async ({ url, says }) => {
    const { code, stdout, stderr } = await typed(['check', await url(), ...patient]);
    expect(stdout).toMatch(/^healthy: Unknown [^\n]+\nready: (?:Unknown|False) [^\n]+\n$/);
    expect(stdout).toMatch(says);
    expect({ code, stderr }).toEqual({ code: 3, stderr: '' });
  });

  test('exits with 3 after --timeout when the node never answers', async () => {
    const url = await used(serveSocket(() => undefined));
    const says = `connected, but no response within 200 ms at ${url}/ext/health: the node may be starting, overloaded or hung`;
    expect(await typed(['check', url, '--timeout', '200ms'])).toMatchObject({
      code: 3,
      stdout: `healthy: Unknown NoResponse: ${says}\nready: False NoResponse: ${says}\n`,
    });
  });

  test.each(['healthy', 'ready'])('with --for %s exits with 3 only if the node does not respond at all', async (goal) => {
    const silent = await used(serveSocket(() => undefined));
    // Its readiness responds, its health does not.
    const hung = await used(serveHttp((request, response) => void (request.url?.includes('readiness') && response.end(well))));
    const codes = [silent, hung].map(async (url) => (await typed(['check', url, '--timeout', '3s', '--for', goal])).code);
    expect(await Promise.all(codes)).toEqual([3, goal === 'ready' ? 1 : 3]);
  });

  test('reads responses as large as snowgauge run does, and larger ones only with --max-body-size', async () => {
    const sized = (bytes: number) =>
      used(serveHttp((request, response) => response.end(request.url === '/ext/health' ? well.padEnd(bytes) : well)));
    const { client } = targetFrom();
    const [within, beyond] = [await sized(client.maxReportBytes), await sized(client.maxReportBytes + 1)];
    expect((await typed(['check', within, ...patient])).code).toBe(0);
    expect(await typed(['check', beyond, ...patient])).toMatchObject({
      code: 3,
      stdout: expect.stringContaining('--max-body-size'),
    });
    expect((await typed(['check', beyond, ...patient, '--max-body-size', '1MiB'])).code).toBe(0);
  });

  test('sends the given headers and the bearer token', async () => {
    let got: readonly (string | undefined)[] = [];
    const url = await used(
      serveHttp((request, response) => {
        got = [request.headers.authorization, String(request.headers['x-tenant'])];
        response.end('{"checks":{},"healthy":true}');
      }),
    );
    const token = await fileOf('s3cret\n');
    await typed(['check', url, ...patient, '--bearer-file', token, '--header', 'X-Tenant: a:b']);
    expect(got).toEqual(['Bearer s3cret', 'a:b']);
  });

  test('escapes control characters of the report in text and JSON output', async () => {
    const evil = '\u001b]0;x\u0007\u009b2J\nline\r\u202e\u2028\ud800';
    const url = await used(serveAnswer(503, JSON.stringify(failingReport(`P${evil}`, `e${evil}`))));
    for (const output of ['text', 'json']) {
      const { stdout, code } = await typed(['check', url, ...patient, '--output', output], { isTerminal: false });
      for (const line of stdout.trimEnd().split('\n')) expect(line).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u);
      expect(stdout.trimEnd().split('\n')).toHaveLength(output === 'text' ? 2 : 1);
      expect(code).toBe(1);
    }
  });

  test('exits with 130 and stops waiting for the response when interrupted', async () => {
    const stop = new AbortController();
    const url = await used(serveSocket(() => stop.abort()));
    expect(await typed(['check', url, ...patient], { signal: stop.signal })).toEqual({
      stdout: '',
      stderr: 'stopped\n',
      code: 130,
    });
  });
});

describe('snowgauge check of a saved report', () => {
  test.each([
    { name: 'healthy', code: 0, says: /^healthy: True ChecksPassing: \d+ checks pass\nready: True / },
    { name: 'unhealthy-disk-warning', code: 1, says: /1 of \d+ checks fails: diskspace: disk \(remaining/ },
    { name: 'subnets-one-good-one-failing', code: 1, says: /2 of 12 checks fail: bootstrapped: bootstrapping/ },
    { name: 'unhealthy-early-not-yet-run', code: 1, says: /: not-yet-run/ },
  ])(
    'exits with $code for the captured report $name, bare or in a JSON-RPC envelope, from a file or stdin',
    async ({ name, code, says }) => {
      const report = captured(name);
      const bare = await typed(['check', '-f', await fileOf(report)]);
      expect(bare).toMatchObject({ code, stdout: expect.stringMatching(says), stderr: '' });
      expect(await typed(['check', '--file', await fileOf({ jsonrpc: '2.0', result: report, id: 1 })])).toEqual(bare);
      const stdin = async function* () {
        yield Buffer.from(`\uFEFF${JSON.stringify(report)}`);
      };
      expect(await typed(['check', '-f', '-'], { stdin })).toEqual(bare);
    },
  );

  test.each([
    {
      content: '',
      says: /it is empty: the command that wrote it got no response, or the node could not encode a check result$/m,
    },
    { content: '{"checks":', says: /it is not JSON: save the response of the node to \/ext\/health$/m },
    { content: '{"checks":{"P":1},"healthy":true}', says: /check "P" must be an object/ },
    { content: '[]', says: /it is not a health report \(.*\): save the response of the node/ },
    {
      content: '{"jsonrpc":"2.0","error":{"code":-32000,"message":"a\\u001bb"},"id":1}',
      says: /JSON-RPC error -32000: a\uFFFDb/,
    },
  ])('exits with 3 for content that is not a health report: $content', async ({ content, says }) => {
    const { code, stdout } = await typed(['check', '-f', await fileOf(content)]);
    expect(stdout).toMatch(says);
    expect(code).toBe(3);
  });

  test('prints JSON with a stable shape', async () => {
    const file = await fileOf(
      failingReport('C', 'not connected to enough stake: connected to 20.000000%; required at least 80.000000%'),
    );
    const { stdout } = await typed(['check', '-f', file, '--output', 'json']);
    expect(JSON.parse(stdout)).toEqual({
      for: 'healthy',
      conditions: [
        {
          type: 'Healthy',
          status: 'False',
          reason: 'ChecksFailing',
          message: expect.stringMatching(/^1 of 1 check fails: C: stake-disconnected \(not connected/),
          failureReasons: ['stake-disconnected'],
          lastTransitionTime: '2027-01-15T08:00:00.000Z',
        },
        {
          type: 'Ready',
          status: 'True',
          reason: 'FailuresIgnored',
          message: expect.stringContaining('ignored: C: stake-disconnected'),
          lastTransitionTime: '2027-01-15T08:00:00.000Z',
        },
      ],
      source: file,
      tags: [],
      checks: 1,
      failing: [
        {
          check: 'C',
          state: 'failing',
          reason: 'stake-disconnected',
          error: expect.stringContaining('20.000000%'),
          contiguousFailures: 2,
          lastRunAt: '2027-01-15T08:00:00.000Z',
          lastRunAgeSeconds: 0,
          durationSeconds: 0.000001,
        },
      ],
      notes: [],
    });
  });

  test.each([
    { on: 'a terminal', env: {}, coloured: true },
    { on: 'a terminal with NO_COLOR', env: { NO_COLOR: '1' }, coloured: false },
    { on: 'a terminal with an empty NO_COLOR', env: { NO_COLOR: '' }, coloured: true },
    { on: 'a terminal without colours', env: { TERM: 'dumb' }, coloured: false },
  ])('on $on, colours the output: $coloured', async ({ env, coloured }) => {
    const { stdout } = await typed(['check', '-f', await fileOf(captured('healthy'))], { env, isTerminal: true });
    expect(stdout.startsWith('healthy: \u001b[32mTrue\u001b[0m')).toBe(coloured);
  });
});

describe('snowgauge check exits with 2 and names the invalid argument', () => {
  test.each([
    { args: [], says: /name a node, such as/ },
    { args: ['http://127.0.0.1:1', '-f', 'x'], says: /--file: cannot be combined with a URL/ },
    { args: ['-f', '/nowhere/at/all'], says: /cannot be read: there is no such file/ },
    { args: ['-f', '/'], says: /cannot be read: it is a directory/ },
    { args: ['-f', 'x', '--tag', 'a'], says: /--tag: requires a node/ },
    { args: ['http://127.0.0.1:9', '--tag', ''], says: /--tag: is empty: write a tag, such as a subnet id/ },
    { args: ['localhost:9650'], says: /URL: is not a URL: write one such as http:\/\/HOST:PORT\n/ },
    {
      args: ['http://u:s3cret@h'],
      says: /URL: contains a user or a password: remove them, and name a file with them with --bearer-file or --basic-file/,
    },
    {
      args: ['http://h/ext/health'],
      says: /URL: contains \/ext\/health, a path .*: remove \/ext\/health from the URL\n/,
    },
    { args: ['http://h', '--timeout', '5'], says: /--timeout: "5" is not a duration/ },
    { args: ['http://h', '--max-body-size', '5MB'], says: /--max-body-size: "5MB" is not a size: write it as 5MiB/ },
    { args: ['http://h', '--max-body-size', '1GiB'], says: /--max-body-size: 1GiB is out of range: write 1KiB to 256MiB/ },
    { args: ['http://h', '--header', 's3cret'], says: /--header: is not a header/ },
    { args: ['http://h', '--header', 'TE: s3cret'], says: /--header: "TE" is set by snowgauge itself: leave it out\n/ },
    { args: ['http://h', '--header', 's3 cret: s3cret'], says: /--header: is not the name of a header\n/ },
    { args: ['http://h', '--header', 'Authorization: s3cret'], says: /"Authorization" is a secret/ },
    { args: ['http://h', '--ca-file', '/nowhere'], says: /^snowgauge check: --ca-file: \/nowhere: there is no such file\n/ },
    {
      args: ['http://h', '--bearer-file', 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.s3cret_s3cret'],
      says: /--bearer-file: there is no such/,
    },
    { args: ['http://h', '--basic-file', 'aGVs/s3cretbG8=='], says: /--basic-file: there is no such/ },
    { args: ['http://h', '--for', 'live'], says: /Allowed choices are healthy, ready/ },
    {
      args: ['http://h', '--ignore-reason', 'bad-luck'],
      says: /--ignore-reason: "bad-luck" is not a known reason: use none, or one of/,
    },
    { args: ['http://h', '--health-check-frequency', '0s'], says: /--health-check-frequency: 0s is out of range/ },
    { args: ['http://h', '--output', 'xml'], says: /^snowgauge check: option .* Allowed choices are text, json/ },
  ])('$args', async ({ args, says }) => {
    const { code, stdout, stderr } = await typed(['check', ...args]);
    expect(stderr).toMatch(says);
    expect(stderr).not.toContain('s3cret');
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  });

  test('--file is larger than --max-body-size', async () => {
    const file = await fileOf(' '.repeat(5000));
    expect(await typed(['check', '-f', file, '--max-body-size', '4KiB'])).toMatchObject({ code: 2 });
  });
});

describeWithPipes('snowgauge check of a pipe', () => {
  const pipe = async (): Promise<string> => makePipe(`${await fileOf('')}.pipe`);

  test('fails at once when nobody writes to the pipe', async () => {
    const { code, stderr } = await typed(['check', '-f', await pipe()]);
    expect([code, stderr]).toEqual([2, expect.stringContaining('cannot be read: no data in this pipe')]);
  });

  test('exits with 130 when interrupted while a writer keeps the pipe open', async () => {
    const file = await pipe();
    const writer = await open(file, 'r+');
    onTestFinished(() => writer.close());
    const stop = new AbortController();
    const checked = typed(['check', '-f', file], { signal: stop.signal });
    stop.abort();
    expect((await checked).code).toBe(130);
  });

  test('reads the pipe to its end', async () => {
    const file = await pipe();
    const reader = await open(file, 'r+');
    // More than a pipe holds, so the write completes only once most of it has been read.
    const written = writeFile(file, JSON.stringify(captured('healthy')) + ' '.repeat(200_000));
    const checked = typed(['check', '-f', file]);
    await written;
    await reader.close();
    expect((await checked).code).toBe(0);
  });
});
