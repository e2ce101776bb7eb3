// `snowgauge wait`: until a node is ready, healthy or live, or time is up, or a person is.

import { describe, expect, onTestFinished, test } from 'vitest';
import { typed } from '../support/command.ts';
import { roundsToSettle, startTestNode } from '../support/node.ts';
import { closedPort, serveHttp, serveSocket } from '../support/serve.ts';

const hurried = ['--interval', '50ms', '--request-timeout', '50s'];

/** A second goes by each time somebody looks. */
const ticking = (): (() => number) => {
  let time = 1_800_000_000;
  return () => (time += 1);
};

const ill =
  '{"healthy":false,"checks":{"bootstrapped":{"error":"subnets not bootstrapped","message":["2bRC"],"timestamp":"2027-01-15T08:00:00Z","duration":1}}}';
const well = '{"healthy":true,"checks":{"bootstrapped":{"timestamp":"2027-01-15T08:00:00Z","duration":1}}}';

/** Says one after the other of whatever is asked, and the last for ever; gives the paths that were asked. */
const saying = async (...bodies: readonly string[]) => {
  const asked: string[] = [];
  const { url, close } = await serveHttp((request, response) => {
    const body = bodies[Math.min(asked.length, bodies.length - 1)] ?? '';
    asked.push(request.url ?? '');
    response.writeHead(body === well ? 200 : 503).end(body);
  });
  onTestFinished(() => close());
  return { url, asked };
};

describe('wait', () => {
  test('for ready asks until the node is, and says on stderr what it waits for', async () => {
    const { url, asked } = await saying(ill, ill, well);
    const { stdout, stderr, code } = await typed(['wait', url, ...hurried], { now: ticking() });
    expect(stdout).toMatch(/^ready after \d+ (s|min)/);
    expect(stderr).toMatch(/^not ready after .*: 1 of 1 check fails: bootstrapped \(bootstrapping/);
    expect(code).toBe(0);
    expect(asked).toEqual(Array(3).fill('/ext/health/readiness'));
  });

  test.each([
    { state: 'healthy', path: '/ext/health' },
    { state: 'live', path: '/ext/health/liveness' },
  ])('for $state asks $path', async ({ state, path }) => {
    const { url, asked } = await saying(well);
    expect(await typed(['wait', url, '--for', state, ...hurried])).toMatchObject({ code: 0, stderr: '' });
    expect(asked).toEqual([path]);
  });

  test('ends with the node that becomes ready while somebody waits', async () => {
    const node = await startTestNode();
    const waiting = typed(['wait', node.url, '--for', 'healthy', ...hurried]);
    await node.ticks(roundsToSettle);
    expect(await waiting).toMatchObject({ code: 0, stdout: expect.stringMatching(/^healthy after/) });
  });

  test('gives up in time, with 1 where the node says no', async () => {
    const { url } = await saying(ill);
    const { stdout, code } = await typed(['wait', url, '--timeout', '1m', '--quiet', ...hurried], { now: ticking() });
    expect(stdout).toMatch(/^not ready after 1 min.*bootstrapped/);
    expect(code).toBe(1);
  });

  test('gives up in time, with 3 where nobody answers', async () => {
    const url = `http://127.0.0.1:${await closedPort()}`;
    const { stdout, stderr, code } = await typed(['wait', url, '--timeout', '1m', '--quiet', ...hurried], { now: ticking() });
    expect(stdout).toMatch(/^not ready after .*connection refused/);
    expect({ stderr, code }).toEqual({ stderr: '', code: 3 });
  });

  test('gives up in time where the one question is never answered', async () => {
    const { url, close } = await serveSocket(() => undefined);
    onTestFinished(() => close());
    expect(await typed(['wait', url, '--timeout', '300ms', ...hurried])).toMatchObject({
      code: 3,
      stdout: expect.stringMatching(/^not ready .*: no answer yet\n$/),
    });
  });

  test('for healthy with a tag waits until the node knows the tag', async () => {
    let rounds = 0;
    const { url, close } = await serveHttp((request, response) => {
      const own = request.url?.includes('tag=mine') === true;
      if (own) rounds += 1;
      response.end(
        own && rounds > 2 ? well.replace('"checks":{', '"checks":{"my-l1":{"timestamp":"2027-01-15T08:00:00Z"},') : well,
      );
    });
    onTestFinished(() => close());
    const { stderr, code } = await typed(['wait', url, '--for', 'healthy', '--tag', 'mine', ...hurried]);
    expect(stderr).toMatch(/tag "mine" adds no check of its own/);
    expect({ code, rounds }).toEqual({ code: 0, rounds: 3 });
  });

  test('says a state that lasts again after half a minute, and no more often', async () => {
    const { url } = await saying(ill);
    const { stderr } = await typed(['wait', url, '--timeout', '5m', ...hurried], { now: ticking() });
    const [first = '', ...rest] = stderr.trimEnd().split('\n');
    expect(first).toMatch(/^not ready/);
    expect(rest.length).toBeGreaterThan(1);
    expect(rest.length).toBeLessThan(11);
    for (const line of rest) expect(line).toMatch(/^still not ready/);
  });

  test('ends with 130 when the process is to stop', async () => {
    const stop = new AbortController();
    const { url } = await saying(ill);
    const { stdout, stderr, code } = await typed(['wait', url, ...hurried], {
      signal: stop.signal,
      onStderr: () => stop.abort(),
    });
    expect({ stdout, code }).toEqual({ stdout: '', code: 130 });
    expect(stderr).toMatch(/stopped\n$/);
  });

  test('as JSON says how it ended', async () => {
    const { url } = await saying(well);
    const { stdout } = await typed(['wait', url, '--output', 'json', ...hurried]);
    expect(JSON.parse(stdout)).toEqual({
      for: 'ready',
      source: url,
      state: 'yes',
      because: '1 check passes',
      waitedSeconds: 0,
      questions: 1,
    });
  });

  test.each([
    { args: ['http://h', '--timeout', 'long'], says: /--timeout: "long" is not a duration/ },
    { args: ['http://h', '--request-timeout', '0s'], says: /--request-timeout: 0s is out of range/ },
    { args: ['http://h', '--interval', '1ms'], says: /--interval: 1ms is out of range/ },
    { args: ['http://h', '--for', 'ever'], says: /Allowed choices are ready, healthy, live/ },
    { args: [], says: /missing required argument 'url'/ },
  ])('refuses $args with exit code 2', async ({ args, says }) => {
    const { stderr, code } = await typed(['wait', ...args]);
    expect(stderr).toMatch(says);
    expect(code).toBe(2);
  });
});
