// The log lines of a restart and of each event: over real sockets, with the clock of the test.

import { describe, expect, onTestFinished, test } from 'vitest';
import { demoScenario, demoSubnets } from '../../src/commands/demo-scenario.ts';
import type { Target } from '../../src/conditions/condition.ts';
import { linesOf, noLines } from '../../src/events/lines.ts';
import { startExporter } from '../../src/exporter.ts';
import { dueAfter } from '../../src/poller/poll.ts';
import { primaryNetworkId } from '../../src/protocol/id.ts';
import { sources } from '../../src/sources/sources.ts';
import { clientOf } from '../support/asking.ts';
import { listeningLog, type Said, temporaryFolder } from '../support/events.ts';
import { freePort } from '../support/free-port.ts';
import { roundsToSettle, startTestNode, type TestNode } from '../support/node.ts';
import { serveHttp } from '../support/serve.ts';
import { fresh, judged, noon, passing, report, stopped, targetKnowing, targetOptions } from '../support/snapshot.ts';
import { valuesOf, watch } from '../support/watching.ts';

const tagSets = [
  { name: 'all', tags: [] },
  { name: 'primary', tags: [primaryNetworkId] },
  { name: 'alpha', tags: [demoSubnets.alpha] },
  { name: 'beta', tags: [demoSubnets.beta] },
  { name: 'subnets', tags: [demoSubnets.alpha, demoSubnets.beta] },
];
const names = tagSets.map(({ name }) => name);
const indexes = ['P/block', 'X/block', 'C/block', 'X/tx', 'X/vtx'] as const;
const scenario = demoScenario.replace(/^faults:[\s\S]*/m, '');
const lineOf = ({ level, message }: Said): string => `${level} ${message}`;

const at = 1_800_000_000;

test('a node that is down for 45 s causes at most six lines, with five tag sets and five indexes', async () => {
  const [httpPort, dataDir] = [await freePort(), await temporaryFolder()];
  const every = 30;
  let [now, ran, due] = [at, at, at];
  const begin = () => startTestNode({ httpPort, dataDir, indexEnabled: true }, scenario, now);
  let node: TestNode | undefined = await begin();
  await node.ticks(roundsToSettle);
  const { log, said } = listeningLog();
  const watching = watch(node.url, () => now, { healthCheckFrequency: every, tagSets, indexes }, {}, { log });
  const poll = async (cause: 'due' | 'closed'): Promise<void> => {
    await watching.poll('patient', cause);
    due = dueAfter(watching.target(), { lastDue: due, lastStart: now, lastEnd: now, offset: 0, cause });
  };
  /** Polls when a poll is due. The node, if any, runs its checks. */
  const pass = async (seconds: number): Promise<void> => {
    for (const end = now + seconds; now < end; ) {
      const next = Math.min(due, ran + every, end);
      node?.advance(next - now);
      now = next;
      if (now === ran + every) {
        ran = now;
        // Chains finish bootstrapping long before the checks run again.
        await node?.ticks(roundsToSettle);
      }
      if (now === due) await poll('due');
    }
  };
  await pass(12 * every);
  const before = said.length;
  expect(said.map(lineOf)).toContain('info health check interval inferred');

  await node.close();
  node = undefined;
  await poll('closed');
  await pass(45);
  node = await begin();
  ran = now;
  await pass(12 * every);

  const lines = said.slice(before);
  expect(lines.length, lines.map(lineOf).join('\n')).toBeLessThanOrEqual(6);
  expect(lines.slice(0, 2)).toMatchObject([
    {
      level: 'warn',
      message: expect.stringMatching(/^poll failed: connection (refused|reset)/),
      fields: { target: 'node', notReady: names },
    },
    {
      level: 'warn',
      message: 'node restarted: its port was closed in between',
      fields: { outageSeconds: 46 },
    },
  ]);
  // The whole node reported in between that it bootstraps, the tag sets did not respond: each of the two gets a line.
  const ready = lines.slice(2);
  expect(ready.map(lineOf)).toEqual(ready.map(() => 'info condition Ready changed to True: every check passes'));
  expect(ready.flatMap(({ fields }) => fields.tagSets)).toEqual(names);
});

test('stopping the exporter logs nothing, although it aborts a poll whose failure would be logged', async () => {
  const { log, said } = listeningLog();
  const stop = new AbortController();
  let polls = 0;
  const node = await serveHttp((request, response) => {
    request.resume();
    if (polls === 0) response.writeHead(500).end();
    else stop.abort();
  });
  onTestFinished(() => node.close());
  const options = targetOptions({ url: node.url, healthCheckFrequency: 1, indexes: [] });
  const now = (): number => performance.now() / 1000;
  const polled = (): void => {
    polls += 1;
  };
  await startExporter([{ options, client: clientOf(node.url) }], { now, log, signal: stop.signal, polled }).finished;
  expect([polls, said]).toEqual([1, []]);
});

const seeing = async (over: Parameters<typeof watch>[2] = {}, settle = roundsToSettle) => {
  let now = at;
  const node = await startTestNode({ indexEnabled: true }, scenario);
  await node.ticks(settle);
  const { log, said } = listeningLog();
  const watching = watch(node.url, () => now, { tagSets, indexes, ...over }, {}, { log });
  return {
    node,
    said,
    /** Passes one check interval with a run of the checks and a poll; returns its log lines. */
    pass: async (faults: Parameters<TestNode['setFaults']>[0] = [], patience: 'patient' | 'impatient' = 'patient') => {
      const known = said.length;
      await node.setFaults(faults);
      now += 5;
      node.advance(5);
      await node.tick();
      await watching.poll(patience);
      return said.slice(known).map(lineOf);
    },
  };
};

const running = async (over: Parameters<typeof watch>[2] = {}) => {
  const seen = await seeing(over);
  for (let polls = 0; polls < 4; polls += 1) await seen.pass();
  return seen;
};

describe('one event', () => {
  test('a start logs that the first poll succeeded, that the node is ready, and the state of its indexes', async () => {
    const { said } = await running();
    const lines = said.filter(({ message }) => !/^(?:health check interval|node identified)/.test(message));
    expect(said.find(({ message }) => message === 'node identified')?.fields).toEqual({
      target: 'node',
      version: 'avalanchego/1.14.2',
      network: 'network-12345',
    });
    expect(lines.map(lineOf).slice(0, 3)).toEqual([
      'info first poll succeeded',
      'info condition Ready changed to True: every check passes',
      'info index state',
    ]);
    expect(Object.keys(Object(lines[2]?.fields.indexes))).toEqual(indexes);
    // That X/tx is not historical is known only when it grows.
    expect(lines.slice(3).map(({ fields }) => fields.indexes)).toEqual([{ 'X/tx': 'ok' }]);
  });

  test('one failed poll logs nothing, the second logs one line for all tag sets and indexes, and the recovery one line', async () => {
    const { pass, said } = await running();
    const silent = [{ fault: 'api-silent' }] as const;
    expect(await pass(silent, 'impatient')).toEqual([]);
    expect(await pass()).toEqual([]);
    expect(await pass(silent, 'impatient')).toEqual([]);
    expect(await pass(silent, 'impatient')).toEqual([
      expect.stringMatching(
        /^warn poll failed: connected, but no response within 30 ms at http:\S+\/ext\/health\/readiness: the node may be starting, overloaded or hung$/,
      ),
    ]);
    expect(await pass(silent, 'impatient')).toEqual([]);
    expect(await pass()).toEqual(['info poll succeeded again']);
    expect(said.at(-1)?.fields).toMatchObject({ ready: names });
  });

  test('checks that stop running log one line, and one when they run again', async () => {
    const { pass, said } = await running();
    const known = said.length;
    for (let polls = 0; polls < 12; polls += 1) await pass([{ fault: 'time-freezes' }]);
    for (let polls = 0; polls < 3; polls += 1) await pass();
    expect(said.slice(known).map(lineOf)).toEqual([
      expect.stringMatching(/^warn condition Ready changed to Unknown: no check has run for /),
      'info condition Ready changed to True: every check passes',
    ]);
  });

  test('checks that stop log no line if the conditions changed because of it with the previous poll', () => {
    const options = targetOptions();
    const polled = { lastPoll: { at: noon, answered: true, failures: [] } };
    const running = judged(targetKnowing(options, { health: { all: fresh(report({ P: passing() })) }, ...polled }));
    const frozen = judged({ ...running.state, ...stopped(noon - 600, 30) });
    const records = [{ kind: 'health-frozen', target: 'node', at: noon }] as const;
    const linesAfter = (before: Target) =>
      linesOf(sources, { ...noLines, hasAnswered: true }, { before, after: frozen, expired: [], records }).lines.map(
        ({ level, message }) => `${level} ${message}`,
      );
    expect(linesAfter(running)).toContain('warn health checks stopped running: the report is outdated');
    expect(linesAfter(frozen)).toEqual([]);
  });

  test('a poll without a health report is not logged as successful', async () => {
    const { pass, said } = await seeing({}, 0);
    const lines = await pass([{ fault: 'api-status', status: 500, path: '/ext/health' }]);
    expect(lines.filter((line) => line.includes('poll'))).toEqual([]);
    await pass([{ fault: 'api-status', status: 500, path: '/ext/health' }]);
    expect(said.map(lineOf)).toContainEqual(expect.stringMatching(/^warn poll failed: HTTP status 500 at \S+$/));
    expect(await pass()).toContain('info first poll succeeded');
  });

  test('an outage logs each error that lasts for two polls once', async () => {
    const { pass, said } = await seeing();
    const status = (code: number) => [{ fault: 'api-status', status: code }] as const;
    for (const code of [500, 500, 502, 500, 502, 502, 502, 403, 403, 500, 500]) await pass(status(code));
    const lines = said.map(lineOf).filter((line) => line.includes('poll'));
    expect(lines.map((line) => line.replace(/ at .*/, ''))).toEqual([
      'warn poll failed: HTTP status 500',
      'warn poll still failing, with another error: HTTP status 502',
      'warn poll still failing, with another error: HTTP status 403',
    ]);
  });

  test('the log tells apart the first observed pass of a check and a recovery, with its duration', async () => {
    const { pass, said } = await seeing();
    const failing = [{ fault: 'check-fails', check: 'database', error: 'closed' }] as const;
    const ofDatabase = () => said.filter(({ fields }) => fields.check === 'database').map(lineOf);
    await pass(failing);
    await pass();
    await pass(failing);
    await pass();
    expect(ofDatabase()).toEqual([
      'warn check database failing',
      'info check database passed for the first time',
      'warn check database began to fail',
      'info check database passed again after 5 s',
    ]);
    // The error was logged when the check began to fail: next to "passed", it would look like a new one.
    const errors = said.filter(({ fields }) => fields.check === 'database').map(({ fields }) => fields.error);
    expect(errors).toEqual(['closed', undefined, 'closed', undefined]);
  });

  test('a check that was not yet run at the first poll logs nothing', async () => {
    const { pass, said } = await seeing({}, 0);
    for (let polls = 0; polls < roundsToSettle + 2; polls += 1) await pass();
    expect(said.filter(({ fields }) => 'check' in fields || 'checks' in fields)).toEqual([]);
    expect(said.map(({ message }) => message)).toContain('condition Ready changed to True: every check passes');
  });

  test('a lost readiness logs one warning for all tag sets', async () => {
    const { pass, said } = await running({ readiness: { ignoreChecks: [], ignoreReasons: [], failAfter: 1, passAfter: 1 } });
    expect(await pass([{ fault: 'disk-fills', availablePercentage: 5 }])).toEqual([
      'warn check diskspace began to fail',
      expect.stringMatching(/^warn condition Ready changed to False: diskspace: disk /),
    ]);
    expect(said.at(-1)?.fields).toMatchObject({ target: 'node', condition: 'Ready', tagSets: names, failureReasons: ['disk'] });
  });

  test('a node that is not ready for ten check intervals logs the reason once', async () => {
    const { pass, said } = await seeing({}, 0);
    for (let polls = 0; polls < 16; polls += 1) await pass([{ fault: 'subnet-bootstraps', subnet: demoSubnets.beta }]);
    const warnings = said
      .filter(({ level }) => level === 'warn')
      .map(({ message, fields }) => [message, fields.tagSets ?? fields.check]);
    expect(warnings).toContainEqual([expect.stringMatching(/^not ready: .*bootstrapp/), expect.arrayContaining(['all', 'beta'])]);
    expect(warnings.filter(([message]) => String(message).startsWith('not ready'))).toHaveLength(1);
    expect(warnings).toContainEqual(['check bootstrapped failing', expect.anything()]);
  });

  test('a failing index is logged after its second failure, and its state when it recovers', async () => {
    const { pass, said } = await running();
    const failing = [{ fault: 'api-status', status: 500, path: '/ext/index/P/block' }] as const;
    expect(await pass(failing)).toEqual([]);
    expect(await pass()).toEqual([]);
    expect(await pass(failing)).toEqual([]);
    expect(await pass(failing)).toEqual(['warn index request failed']);
    expect(said.at(-1)?.fields).toEqual({
      target: 'node',
      indexes: { 'P/block': expect.stringMatching(/^HTTP status 500 at http:\S+\/ext\/index\/P\/block$/) },
    });
    expect(await pass(failing)).toEqual([]);
    expect(await pass()).toEqual(['info index state']);
    expect(said.at(-1)?.fields).toEqual({ target: 'node', indexes: { 'P/block': 'ok' } });
  });

  /** The log lines and pages of 60 due polls of a node with this check interval in seconds. */
  const followed = async (seconds: number) => {
    const pages: Awaited<ReturnType<ReturnType<typeof watch>['page']>>[] = [];
    let [now, ran] = [at, at];
    const node = await startTestNode();
    await node.ticks(roundsToSettle);
    const { log, said } = listeningLog();
    const watching = watch(node.url, () => now, { indexes: [], healthCheckFrequency: 5 }, {}, { log });
    for (let polls = 0; polls < 60; polls += 1) {
      await watching.poll();
      if (polls % 5 === 0) pages.push(await watching.page());
      const end = { lastDue: now, lastStart: now, lastEnd: now, offset: 0, cause: 'due' } as const;
      const due = dueAfter(watching.target(), end);
      for (; ran + seconds <= due; ran += seconds) {
        node.advance(ran + seconds - now);
        now = ran + seconds;
        await node.tick();
      }
      node.advance(due - now);
      now = due;
    }
    return { said: said.filter(({ message }) => message.startsWith('health check')), pages };
  };

  test('the interval of a node that checks every 1.5 s is logged once', async () => {
    const { said } = await followed(1.5);
    const interval = { level: 'info', message: 'health check interval inferred', fields: { target: 'node' } };
    expect(said).toMatchObject([interval]);
    expect(said[0]?.fields.seconds).toBeCloseTo(1.5, 1);
  });

  // test/snapshot/check-interval.test.ts has the values in between.
  test.each([0.25, 0.95])(
    'a node that checks every %s s has no interval in log and metrics, and no missed runs',
    async (seconds) => {
      const { said, pages } = await followed(seconds);
      const message = 'health checks run more often than once a second: interval and missed runs unknown';
      expect(said).toMatchObject([{ level: 'warn', message, fields: { target: 'node' } }]);
      expect(pages.flatMap((page) => valuesOf(page, 'snowgauge_health_check_interval_seconds'))).toEqual([]);
      expect(pages.flatMap((page) => valuesOf(page, 'snowgauge_check_missed_runs_total'))).toEqual([]);
    },
  );
});
