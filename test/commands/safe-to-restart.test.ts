// `snowgauge safe-to-restart`, polling real nodes or querying a running snowgauge.

import { describe, expect, onTestFinished, test } from 'vitest';
import type { Request } from '../../src/server/inputs.ts';
import { at, fileOf, typed } from '../support/command.ts';
import { serveExporter, stateOf } from '../support/exporter-server.ts';
import { roundsToSettle, startTestNode } from '../support/node.ts';
import { closedPort, serveHttp } from '../support/serve.ts';
import { startValidator } from '../support/validator-nodes.ts';
import { onTrack, validates, validatorTarget } from '../support/validators.ts';

const asked = async (...argv: readonly string[]) => {
  const { stdout, stderr, code } = await typed(['safe-to-restart', ...argv, '--output', 'json']);
  const { result, targets } = stdout === '' ? { result: stderr, targets: [] } : JSON.parse(stdout);
  const types = targets.map(({ reasons }: { reasons: readonly { type: string; result: string }[] }) =>
    reasons.filter((one) => one.result === result).map(({ type }) => type),
  );
  return { result, code, types };
};

describe('safe-to-restart of polled nodes', () => {
  test('is safe while another validator of the same subnets is ready, and unsafe while it bootstraps', async () => {
    const nodes = [await startValidator(1), await startValidator(2)];
    const [one = '', other = ''] = nodes.map(({ url }) => url);
    const { stdout, stderr, code } = await typed(['safe-to-restart', one, other, '--for', '10m']);
    const of = (url: string) => [
      `safe ${url}: the uptime requirement allows 36 d 11 h of downtime, a restart costs 0.0095 % of the downtime left`,
      '  OthersReady: Primary Network: 1 of 1 other watched validators is ready',
      '  OthersReady: my-l1: 1 of 1 other watched validators is ready',
      '  RewardOnTrack: 73 d of downtime left until the reward is lost',
    ];
    const from = 'for 10 min, based on one poll of 2 nodes; maintenance windows unknown';
    expect([stdout.trimEnd().split('\n'), stderr, code]).toEqual([[...of(one), ...of(other), from], '', 0]);

    await nodes[1]?.setFaults([{ fault: 'subnet-bootstraps', subnet: 'mine' }]);
    await nodes[1]?.ticks(2);
    expect(await asked(one, other, '--target', one)).toEqual({
      result: 'unsafe',
      code: 1,
      types: [['OthersBootstrapping', 'OthersNotReady']],
    });
    expect(await asked(one, other, '--target', other)).toMatchObject({ result: 'unsafe', code: 1, types: [['Bootstrapping']] });
  });

  test('knows the membership in each subnet of a validator of eighteen L1s', async () => {
    const names = Array.from({ length: 18 }, (_, nth) => `l1-${nth}`);
    const l1s = names.map(
      (name) => `  - { name: ${name}, l1: { validators: 2, weight: 100, balance: 5 }, chains: [{ alias: ${name} }] }`,
    );
    const node = await startTestNode({}, ['subnets:', ...l1s].join('\n'));
    await node.ticks(roundsToSettle);
    const { stdout } = await typed(['safe-to-restart', node.url, '--output', 'json']);
    const [{ subnets, reasons }] = JSON.parse(stdout).targets;
    expect(subnets.map(({ name }: { name: string }) => name)).toEqual(expect.arrayContaining(names));
    expect(reasons.map(({ type }: { type: string }) => type)).not.toContain('MembershipUnknown');
  });

  test('counts two URLs of the same node as one node', async () => {
    const { url } = await startValidator(1);
    expect(await asked(url, url.replace('127.0.0.1', 'localhost'))).toMatchObject({ result: 'unknown', code: 3 });
  });

  test('does not count validators of another network', async () => {
    const nodes = [await startValidator(1), await startValidator(2, 12345)];
    expect(await asked(...nodes.map(({ url }) => url))).toMatchObject({
      result: 'unknown',
      types: [['NoOthersWatched'], ['NoOthersWatched', 'NoOthersWatched']],
    });
  });

  test('is unsafe with a reward at risk, and reports connected stake that is too low', async () => {
    const [own, other] = [await startValidator(1), await startValidator(2)];
    await own.setFaults([{ fault: 'uptime-falls', to: 0.7 }]);
    const only = [own.url, other.url, '--target', own.url];
    expect(await asked(...only)).toEqual({ result: 'unsafe', code: 1, types: [['RewardAtRisk']] });
    await own.setFaults([{ fault: 'stake-disconnects', chain: 'P', percentConnected: 0.5 }]);
    await own.ticks(2);
    expect((await asked(...only)).types).toEqual([expect.arrayContaining(['ConnectedStakeLow'])]);
  });

  test('is unknown for a node that does not respond, and such a node does not count as ready', async () => {
    const [{ url }, gone] = [await startValidator(1), `http://127.0.0.1:${await closedPort()}`];
    expect(await asked(url, gone, '--target', url)).toEqual({
      result: 'unknown',
      code: 3,
      types: [['OthersUnknown', 'OthersUnknown']],
    });
    expect(await asked(url, gone, '--target', gone)).toMatchObject({ result: 'unknown', code: 3 });
  });

  test('counts a node that does not respond as a possible validator of every subnet', async () => {
    const [{ url }, other, gone] = [await startValidator(1), await startValidator(2), `http://127.0.0.1:${await closedPort()}`];
    expect(await asked(url, other.url, gone, '--target', url)).toEqual({
      result: 'unknown',
      code: 3,
      types: [['OthersUnknown', 'OthersUnknown']],
    });
  });
});

describe('safe-to-restart of a running snowgauge', () => {
  const named = (name: string, isReady = true) =>
    [
      name,
      validatorTarget({
        ...{ options: { name }, primary: validates(), reward: onTrack(1200), nodeId: `NodeID-${name}` },
        ...(isReady ? {} : { health: {} }),
      }),
    ] as const;

  test('sends the options to the API and prints its result', async () => {
    const { url } = await serveExporter({ targets: new Map([named('a'), named('b'), named('c', false)]) });
    expect(await asked(...at(url), '--target', 'c')).toMatchObject({ result: 'unknown', code: 3 });
    const ran = await typed(['safe-to-restart', ...at(`${url}/`), '--target', 'a', '--for', '30m']);
    expect([ran.code, ran.stdout]).toEqual([
      1,
      [
        'unsafe a: the uptime requirement allows 10 min of downtime, a restart costs 150 % of the downtime left',
        '  OthersNotReady: Primary Network: 1 of 2 other watched validators is ready, more than half are required; not ready: c',
        '  BudgetTooSmall: 20 min of downtime left until the reward is lost: 30 min is more than half of it',
        'for 30 min, based on 3 targets of a running snowgauge\n',
      ].join('\n'),
    ]);
  });

  test('prints how many discovered nodes are not watched', async () => {
    const unwatched = [{ reason: 'refused', targets: 2, message: 'refuse connections', examples: [] }];
    const discovery = [{ source: 'kubernetes/0', successful: true, targets: 2, unwatched }];
    const { url } = await serveExporter({ state: () => stateOf(new Map([named('a'), named('b')]), { discovery }) });
    const { stdout } = await typed(['safe-to-restart', ...at(url)]);
    const from = 'based on 2 targets of a running snowgauge; 2 discovered nodes are not watched, and not considered';
    expect(stdout).toContain(`for 5 min, ${from}\n`);
  });

  test('filters by --tag-set', async () => {
    const { url } = await serveExporter({ targets: new Map([named('a'), named('b')]) });
    expect(await asked(...at(url), '--tag-set', 'all')).toMatchObject({
      result: 'safe',
      code: 0,
      types: [expect.anything(), expect.anything()],
    });
    expect(await asked(...at(url), '--tag-set', 'none')).toMatchObject({ code: 2 });
  });

  test('prints the API response as JSON', async () => {
    const { url } = await serveExporter({ targets: new Map([named('a'), named('b')]) });
    const { stdout } = await typed(['safe-to-restart', ...at(url), '--output', 'json']);
    expect(JSON.parse(stdout)).toEqual(await (await fetch(`${url}/api/v1/safe-to-restart?for=5m`)).json());
  });

  test.each(['targets', 'reasons'])('exits with 3 for a response with a million invalid %s', async (list) => {
    const { url } = await serveExporter({ targets: new Map([named('a'), named('b')]) });
    const answer = JSON.parse(await (await fetch(`${url}/api/v1/safe-to-restart?for=5m`)).text());
    const text = JSON.stringify(answer, (key, value) => (key === list ? 'WRONG' : value));
    const server = await serveHttp((_, response) => response.end(text.replace('"WRONG"', `[0${',0'.repeat(1_000_000)}]`)));
    onTestFinished(() => server.close());
    const { code, stderr } = await typed(['safe-to-restart', ...at(server.url)]);
    expect([code, stderr]).toEqual([
      3,
      `snowgauge safe-to-restart: ${server.url}: HTTP status 200, not a response of snowgauge: is this its URL?\n`,
    ]);
  });

  test('prints no control characters of the response', async () => {
    const odd = '\u001b[2J';
    const reasons = [{ type: odd, result: 'unsafe', message: odd }];
    const targets = [{ name: odd, result: 'unsafe', reasons, cost: { seconds: 300 } }];
    const answer = { result: 'unsafe', forSeconds: 300, judgedFrom: { by: 'exporter', targets: 1 }, targets };
    const server = await serveHttp((_, response) => response.end(JSON.stringify(answer)));
    onTestFinished(() => server.close());
    const { code, stdout } = await typed(['safe-to-restart', ...at(server.url)]);
    expect(code).toBe(1);
    expect(stdout).not.toContain('\u001b');
  });

  test('sends the credentials', async () => {
    const seen: (string | undefined)[] = [];
    const routes = ({ sender }: Request) => {
      seen.push(sender.headers.authorization);
      return { status: 401, headers: {}, body: 'no' };
    };
    const { url } = await serveExporter({ routes });
    const ran = await typed(['safe-to-restart', ...at(url), '--bearer-file', await fileOf('secret\n')]);
    expect([seen, ran.code, ran.stderr]).toEqual([
      ['Bearer secret'],
      3,
      `snowgauge safe-to-restart: ${url}: HTTP status 401, not a response of snowgauge: is this its URL?\n`,
    ]);
  });
});

test.each([
  { argv: ['--url', 'http://127.0.0.1:9'], code: 3, says: 'connection refused' },
  { argv: ['nonsense'], code: 2, says: 'safe-to-restart: URL: is not a URL' },
  { argv: ['--url', 'nonsense'], code: 2, says: 'safe-to-restart: --url: is not a URL' },
  { argv: ['--for', '2d'], code: 2, says: '--for: "2d" is not a duration' },
  { argv: ['--for', '48h'], code: 2, says: '--for: 48h is out of range' },
  { argv: ['http://127.0.0.1:9', '--target', 'a'], code: 2, says: '--target: is not one of the URLs' },
  { argv: ['--ignore-reason', 'none'], code: 2, says: '--ignore-reason: requires URLs: a running snowgauge has its own' },
  { argv: ['--ignore-check', 'C'], code: 2, says: '--ignore-check: requires URLs' },
  { argv: ['--health-check-frequency', '30s'], code: 2, says: '--health-check-frequency: requires URLs' },
  { argv: ['--max-body-size', '1MiB'], code: 2, says: '--max-body-size: requires URLs' },
  { argv: ['http://127.0.0.1:9', '--tag-set', 'a'], code: 2, says: '--tag-set: cannot be combined with URLs' },
  { argv: ['http://127.0.0.1:9', '--url', 'http://127.0.0.1:9'], code: 2, says: '--url: cannot be combined with URLs' },
])('safe-to-restart $argv exits with $code', async ({ argv, code, says }) => {
  const ran = await typed(['safe-to-restart', ...argv]);
  expect([ran.code, ran.stderr]).toEqual([code, expect.stringContaining(says)]);
});

test('safe-to-restart prints each error once, and the errors of all URLs', async () => {
  const many = await typed(['safe-to-restart', 'http://a:1', 'http://b:1', '--timeout', '5', '--header', 'x']);
  expect(many.stderr.match(/^.*?(--timeout|--header): /gm)).toHaveLength(2);
  const { stderr } = await typed(['safe-to-restart', 'http://a:1/ext', 'ftp://b:1']);
  expect(stderr).toMatch(/URL 1: contains \/ext.*\n.*URL 2: must begin with http:\/\//);
});

test('safe-to-restart ignores trailing slashes of URLs, also in --target', async () => {
  const url = 'http://127.0.0.1:9';
  const ran = await typed(['safe-to-restart', url, `${url}/`, '--target', `${url}//`, '--output', 'json']);
  expect([ran.code, ran.stderr]).toEqual([3, '']);
  expect(JSON.parse(ran.stdout)).toMatchObject({ judgedFrom: { targets: 1 }, targets: [{ name: url }] });
});

test('safe-to-restart numbers URLs as they are on the command line, in names and errors, also after repeated ones', async () => {
  const url = 'http://127.0.0.1:9';
  const { stdout } = await typed(['safe-to-restart', `${url}/a`, `${url}/a/`, `${url}/b`, url, '--output', 'json']);
  const { judgedFrom, targets } = JSON.parse(stdout);
  const names = targets.map(({ name }: { name: string }) => name);
  expect([judgedFrom.targets, names.toSorted()]).toEqual([3, [url, `${url}/… (1)`, `${url}/… (3)`]]);
  const { stderr } = await typed(['safe-to-restart', url, url, 'ftp://b:1']);
  expect(stderr).toContain('URL 3: must begin with http://');
});
