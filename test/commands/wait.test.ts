// `snowgauge wait`: waits until a node is ready, healthy or live, or until the timeout or an interrupt.

import { describe, expect, onTestFinished, test } from 'vitest';
import { typed } from '../support/command.ts';
import { roundsToSettle, startTestNode } from '../support/node.ts';
import { closedPort, serveHttp, serveSocket } from '../support/serve.ts';

const hurried = ['--interval', '50ms', '--request-timeout', '50s'];

/** A clock that advances one second with each reading. */
const ticking = (): (() => number) => {
  let time = 1_800_000_000;
  return () => (time += 1);
};

const ill =
  '{"healthy":false,"checks":{"bootstrapped":{"error":"subnets not bootstrapped","message":["2bRC"],"timestamp":"2027-01-15T08:00:00Z","duration":1}}}';
const well = '{"healthy":true,"checks":{"bootstrapped":{"timestamp":"2027-01-15T08:00:00Z","duration":1}}}';

/** Answers each poll with the next body, then keeps the last; `polls` counts the polls. */
const saying = async (...bodies: readonly string[]) => {
  const asked = new Map<string, number>();
  const { url, close } = await serveHttp((request, response) => {
    const path = request.url ?? '';
    const times = asked.get(path) ?? 0;
    asked.set(path, times + 1);
    const body = bodies[Math.min(times, bodies.length - 1)] ?? '';
    response.writeHead(body === well ? 200 : 503).end(body);
  });
  onTestFinished(() => close());
  return { url, polls: () => asked.get('/ext/health') ?? 0 };
};

describe('snowgauge wait', () => {
  test('--for ready polls until the node is ready and prints the reason for waiting to stderr', async () => {
    const { url, polls } = await saying(ill, ill, well);
    const { stdout, stderr, code } = await typed(['wait', url, ...hurried], { now: ticking() });
    expect(stdout).toMatch(
      /^ready after \d+ (?:s|min).*\nhealthy: True ChecksPassing: 1 check passes\nready: True ChecksPassing: every check passes\n$/,
    );
    expect(stderr).toMatch(/^not ready after .*: bootstrapped: bootstrapping \(subnets not bootstrapped\)/);
    expect(code).toBe(0);
    expect(polls()).toBe(3);
  });

  test.each(['healthy', 'live'])('--for %s exits with 0 after the first poll with that condition True', async (goal) => {
    const { url, polls } = await saying(well);
    expect(await typed(['wait', url, '--for', goal, ...hurried])).toMatchObject({
      code: 0,
      stderr: '',
      stdout: expect.stringMatching(new RegExp(`^${goal} after .*\\n(?:.*\\n)*${goal}: True `)),
    });
    expect(polls()).toBe(1);
  });

  test('--for ready does not wait for ignored failures', async () => {
    const stake = 'not connected to enough stake: connected to 60.000000%; required at least 80.000000%';
    const checks = { C: { error: stake, timestamp: '2027-01-15T08:00:00Z', duration: 1 } };
    const { url } = await saying(JSON.stringify({ healthy: false, checks }));
    expect(await typed(['wait', url, ...hurried])).toMatchObject({ code: 0, stdout: expect.stringContaining('healthy: False') });
    const strict = ['--ignore-reason', 'none', '--timeout', '1m', '--quiet', ...hurried];
    expect(await typed(['wait', url, ...strict], { now: ticking() })).toMatchObject({ code: 1 });
  });

  test('exits with 0 when a starting node becomes healthy', async () => {
    const node = await startTestNode();
    const waiting = typed(['wait', node.url, '--for', 'healthy', ...hurried]);
    await node.ticks(roundsToSettle);
    expect(await waiting).toMatchObject({ code: 0, stdout: expect.stringMatching(/^healthy after/) });
  });

  test('times out with exit code 1 if the node is not ready', async () => {
    const { url } = await saying(ill);
    const { stdout, code } = await typed(['wait', url, '--timeout', '1m', '--quiet', ...hurried], { now: ticking() });
    expect(stdout).toMatch(/^not ready after 1 min.*\nhealthy: False .*\nready: False ChecksFailing: bootstrapped/);
    expect(code).toBe(1);
  });

  test('times out with exit code 3 if the connection is refused', async () => {
    const url = `http://127.0.0.1:${await closedPort()}`;
    const { stdout, stderr, code } = await typed(['wait', url, '--timeout', '1m', '--quiet', ...hurried], { now: ticking() });
    expect(stdout).toMatch(/^not ready after .*\nhealthy: Unknown .*\nready: Unknown ConnectionRefused: connection refused/);
    expect({ stderr, code }).toEqual({ stderr: '', code: 3 });
  });

  test('times out with exit code 3 if the first request is never answered', async () => {
    const { url, close } = await serveSocket(() => undefined);
    onTestFinished(() => close());
    expect(await typed(['wait', url, '--timeout', '300ms', ...hurried])).toMatchObject({
      code: 3,
      stdout: expect.stringMatching(
        /^not ready .*\nhealthy: Unknown NotPolled: .*\nready: Unknown NotPolled: the node has not been polled yet\n$/,
      ),
    });
  });

  test.each(['ready', 'healthy', 'live'])('--for %s times out with exit code 3 if no request is answered', async (goal) => {
    const { url, close } = await serveSocket(() => undefined);
    onTestFinished(() => close());
    const args = ['--for', goal, '--request-timeout', '50ms', '--interval', '50ms', '--timeout', '1m', '--quiet'];
    expect(await typed(['wait', url, ...args], { now: ticking() })).toMatchObject({
      code: 3,
      stdout: expect.stringContaining('NoResponse'),
    });
  });

  test('--for healthy with a tag waits until the node knows the tag', async () => {
    let polls = 0;
    const { url, close } = await serveHttp((request, response) => {
      const own = request.url?.endsWith('tag=mine') === true;
      if (own) polls += 1;
      response.end(
        own && polls > 2 ? well.replace('"checks":{', '"checks":{"my-l1":{"timestamp":"2027-01-15T08:00:00Z"},') : well,
      );
    });
    onTestFinished(() => close());
    const { stderr, code } = await typed(['wait', url, '--for', 'healthy', '--tag', 'mine', ...hurried]);
    expect(stderr).toMatch(/the node has no check with tag "mine", so only global checks are reported: is it the id/);
    expect(code).toBe(0);
    // The new check set makes it query the tag once more.
    expect(polls).toBeLessThan(6);
  });

  test('repeats an unchanged state to stderr after half a minute, not more often', async () => {
    const { url } = await saying(ill);
    const { stderr } = await typed(['wait', url, '--timeout', '5m', ...hurried], { now: ticking() });
    const [first = '', ...rest] = stderr.trimEnd().split('\n');
    expect(first).toMatch(/^not ready/);
    expect(rest.length).toBeGreaterThan(1);
    expect(rest.length).toBeLessThan(11);
    for (const line of rest) expect(line).toMatch(/^still not ready/);
  });

  test('exits with 130 when interrupted', async () => {
    const stop = new AbortController();
    const { url } = await saying(ill);
    const { stdout, stderr, code } = await typed(['wait', url, ...hurried], {
      signal: stop.signal,
      onStderr: () => stop.abort(),
    });
    expect({ stdout, code }).toEqual({ stdout: '', code: 130 });
    expect(stderr).toMatch(/stopped\n$/);
  });

  test('prints the result as JSON', async () => {
    const { url } = await saying(well);
    const { stdout } = await typed(['wait', url, '--output', 'json', ...hurried]);
    const lastTransitionTime = '2027-01-15T08:00:00.000Z';
    expect(JSON.parse(stdout)).toEqual({
      for: 'ready',
      conditions: [
        { type: 'Healthy', status: 'True', reason: 'ChecksPassing', message: '1 check passes', lastTransitionTime },
        { type: 'Ready', status: 'True', reason: 'ChecksPassing', message: 'every check passes', lastTransitionTime },
        { type: 'Live', status: 'True', reason: 'NodeResponding', message: 'the node responds', lastTransitionTime },
      ],
      source: url,
      waitedSeconds: 0,
      polls: 1,
    });
  });

  test.each([
    { args: ['http://h', '--timeout', 'long'], says: /--timeout: "long" is not a duration/ },
    { args: ['http://h', '--request-timeout', '0s'], says: /--request-timeout: 0s is out of range/ },
    { args: ['http://h', '--interval', '1ms'], says: /--interval: 1ms is out of range/ },
    { args: ['http://h', '--ignore-reason', 'ever'], says: /--ignore-reason: "ever" is not a known reason/ },
    { args: ['http://h', '--for', 'ever'], says: /Allowed choices are ready, healthy, live/ },
    { args: [], says: /missing required argument 'url'/ },
  ])('rejects $args with exit code 2', async ({ args, says }) => {
    const { stderr, code } = await typed(['wait', ...args]);
    expect(stderr).toMatch(says);
    expect(code).toBe(2);
  });
});
