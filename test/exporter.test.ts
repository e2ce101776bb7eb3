import { describe, expect, onTestFinished, test } from 'vitest';
import { createClient } from '../src/client/client.ts';
import { type OutcomeKind, outcomeKinds } from '../src/client/outcome.ts';
import { createEventHistory } from '../src/events/event-history.ts';
import { startExporter } from '../src/exporter.ts';
import { silentLog } from '../src/log.ts';
import type { MaintenanceWindow } from '../src/maintenance/window.ts';
import { startNode } from '../src/node/node.ts';
import { defaultNodeOptions } from '../src/node/options.ts';
import { yieldToEventLoop } from '../src/pause.ts';
import { clientOf } from './support/asking.ts';
import { roundsToSettle, startTestNode } from './support/node.ts';
import { type Served, serveAnswer, serveHttp, serveSocket } from './support/serve.ts';
import { targetOptions } from './support/snapshot.ts';
import { valuesOf, watch } from './support/watching.ts';

const at = 1_800_000_000;

const kept = async (served: Promise<Served>): Promise<string> => {
  const server = await served;
  onTestFinished(() => server.close());
  return server.url;
};

type Fault = Parameters<Awaited<ReturnType<typeof startTestNode>>['setFaults']>[0];

const faulty = async (faults: Fault): Promise<string> => {
  const node = await startTestNode();
  await node.setFaults(faults);
  return node.url;
};

describe('every poll outcome is caused by a real fault and counted', () => {
  const rows: readonly {
    readonly outcome: OutcomeKind;
    readonly node: string;
    readonly url: () => Promise<string>;
    readonly timeoutMs?: number;
  }[] = [
    { outcome: 'ok', node: 'responds', url: () => faulty([]) },
    { outcome: 'refused', node: 'closes its port', url: () => faulty([{ fault: 'api-refuses' }]) },
    { outcome: 'reset', node: 'resets the connection', url: () => faulty([{ fault: 'api-resets' }]) },
    { outcome: 'dns', node: 'has an unknown host name', url: async () => 'http://node.invalid:9650', timeoutMs: 30_000 },
    { outcome: 'timeout', node: 'never responds', url: () => faulty([{ fault: 'api-silent' }]), timeoutMs: 300 },
    { outcome: 'tls', node: 'does not speak TLS', url: async () => (await faulty([])).replace('http:', 'https:') },
    {
      outcome: 'network',
      node: 'does not speak HTTP',
      url: () => kept(serveSocket((socket) => socket.end('220 mail ready\r\n'))),
    },
    { outcome: 'host-forbidden', node: 'rejects the Host header', url: () => faulty([{ fault: 'api-forbids' }]) },
    { outcome: 'http-status', node: 'responds with status 500', url: () => faulty([{ fault: 'api-status', status: 500 }]) },
    { outcome: 'not-json', node: 'responds with garbage', url: () => faulty([{ fault: 'api-garbage' }]) },
    { outcome: 'too-large', node: 'sends a huge body', url: () => faulty([{ fault: 'api-huge', bytes: 1_000_000 }]) },
    { outcome: 'malformed', node: 'sends JSON that is not a report', url: () => kept(serveAnswer(200, '{"checks":[]}')) },
    {
      outcome: 'rpc-error',
      node: 'rejects the method',
      url: () => kept(serveAnswer(200, '{"jsonrpc":"2.0","error":{"code":-32000,"message":"no such thing","data":null},"id":1}')),
    },
  ];

  test('the rows are all outcomes except internal-error', () => {
    expect(rows.map(({ outcome }) => outcome)).toEqual(outcomeKinds.filter((kind) => kind !== 'internal-error'));
  });

  test.each(rows)('$outcome: a node that $node', async ({ outcome, url, timeoutMs = 20_000 }) => {
    const watching = watch(await url(), () => at, {}, { timeoutMs });
    await watching.poll();
    const api = outcome === 'rpc-error' ? 'index' : 'health';
    expect(valuesOf(await watching.page(), 'snowgauge_polls_total', { api, outcome })).toEqual([1]);
    const others = valuesOf(await watching.page(), 'snowgauge_polls_total', { api });
    expect(others.reduce((sum, value) => sum + value, 0)).toBe(1);
    // ok is 0 from the start, the others appear with their first occurrence.
    expect(others).toHaveLength(outcome === 'ok' ? 1 : 2);
  });
});

describe('a node that is killed', () => {
  test('loses its samples after three check intervals, and has them again with its first report', async () => {
    let now = at;
    const node = await startTestNode({ indexEnabled: true });
    await node.ticks(roundsToSettle);
    const watching = watch(node.url, () => now);
    await watching.poll();
    const healthy = () => watching.page().then((page) => valuesOf(page, 'snowgauge_check_healthy'));
    const up = () => watching.page().then((page) => valuesOf(page, 'snowgauge_up'));
    const checks = (await healthy()).length;
    expect(checks).toBeGreaterThan(5);
    expect(await up()).toEqual([1]);

    await node.setFaults([{ fault: 'api-refuses' }]);
    for (const seconds of [5, 10, 15]) {
      now = at + seconds;
      await watching.poll();
      expect(await healthy()).toHaveLength(checks);
    }
    now = at + 15.001;
    expect(await healthy()).toEqual([]);
    expect(await up()).toEqual([0]);
    const page = await watching.page();
    expect(valuesOf(page, 'snowgauge_index_last_accepted_height')).toEqual([]);
    // The last request for the index was the one at 5 s.
    expect(valuesOf(page, 'snowgauge_index_state', { state: 'error' })).toEqual([1]);
    expect(valuesOf(page, 'snowgauge_last_report_timestamp_seconds')).toEqual([at]);
    // Once it is known to be gone, one request per poll is enough to detect that it is back.
    expect(valuesOf(page, 'snowgauge_polls_total', { api: 'health', outcome: 'refused' })).toEqual([1]);
    expect(valuesOf(page, 'snowgauge_polls_total', { api: 'readiness', outcome: 'refused' })).toEqual([3]);

    now = at + 20.001;
    expect(valuesOf(await watching.page(), 'snowgauge_index_state')).toEqual([]);

    await node.setFaults([]);
    await watching.poll();
    expect(await healthy()).toHaveLength(checks);
    expect(await up()).toEqual([1]);
  });
});

describe('the head of each index', () => {
  test('has the state off, empty or historical if there is no last container to verify', async () => {
    const off = watch((await startTestNode()).url, () => at, { indexes: ['P/block'] });
    expect((await off.poll()).sources.indexes.watched.get('P/block')?.head).toMatchObject({
      state: 'fresh',
      value: { state: 'off' },
    });
    const node = await startTestNode(
      { indexEnabled: true, dialect: 'avalanchego' },
      'chains: { P: { history: 3 }, X: { history: 0, blockInterval: 1h } }',
    );
    await node.ticks(roundsToSettle);
    const on = watch(node.url, () => at, { indexes: ['P/block', 'X/block', 'X/vtx'] });
    const { watched } = (await on.poll()).sources.indexes;
    expect(watched.get('P/block')?.head).toMatchObject({ value: { state: 'ok', last: { id: expect.any(String) } } });
    expect(watched.get('X/block')?.head).toMatchObject({ value: { state: 'empty' } });
    expect(watched.get('X/vtx')?.head).toMatchObject({ value: { state: 'historical' } });
    // Three heads, and for the only existing container: the container by its index, and the index by its id.
    expect(valuesOf(await on.page(), 'snowgauge_polls_total', { api: 'index', outcome: 'ok' })).toEqual([5]);
  });
});

test('a poll replaces only the polled target, and changes the version of the map', async () => {
  const url = await kept(serveAnswer(200, '{"checks":{},"healthy":true}'));
  const stop = new AbortController();
  const of = (name: string, healthCheckFrequency: number) => ({
    options: targetOptions({ name, url, healthCheckFrequency }),
    client: clientOf(url),
  });
  const names: string[] = [];
  const exporter = startExporter([of('often', 1), of('seldom', 3600)], {
    now: () => Date.now() / 1000,
    log: silentLog,
    signal: stop.signal,
    polled: ({ state }) => names.push(state.options.name),
  });
  onTestFinished(async () => {
    stop.abort();
    await exporter.finished;
  });
  await expect.poll(() => names).toContain('seldom');
  const { targets } = exporter;
  // Wait until the results of its poll are complete: whether it is safe to restart was computed before it, too.
  await expect.poll(() => targets.get('seldom')?.safeToRestart?.message).toBe('the report has no checks');
  const [seldom, often, version] = [targets.get('seldom'), targets.get('often'), exporter.version()];
  await expect.poll(exporter.version).toBeGreaterThan(version);
  expect(exporter.targets).toBe(targets);
  expect(targets.get('seldom')).toBe(seldom);
  expect(targets.get('often')).not.toBe(often);
});

test('probes of a node that hangs request no second poll after the one that hangs', async () => {
  let now = at;
  let held: Promise<void> = Promise.resolve();
  let release: () => void = () => undefined;
  let asked = 0;
  const url = await kept(
    serveHttp(async (request, response) => {
      request.resume();
      if (request.url === '/ext/health') asked += 1;
      await held;
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end('{"checks":{},"healthy":true}');
    }),
  );
  const other = await kept(serveAnswer(200, '{"checks":{},"healthy":true}'));
  const of = (name: string, url: string) => ({
    options: targetOptions({ name, url, healthCheckFrequency: 3600, info: false }),
    client: clientOf(url),
  });
  const stop = new AbortController();
  const polled: string[] = [];
  const exporter = startExporter([of('node', url), of('other', other)], {
    ...{ now: () => now, log: silentLog, signal: stop.signal },
    polled: ({ state }) => polled.push(state.options.name),
  });
  onTestFinished(async () => {
    stop.abort();
    await exporter.finished;
  });
  await expect.poll(() => polled.toSorted()).toEqual(['node', 'other']);
  held = new Promise((resolve) => {
    release = resolve;
  });
  now += 3601;
  exporter.probed('node');
  await expect.poll(() => asked).toBe(2);
  exporter.probed('node');
  now += 5;
  exporter.probed('node');
  release();
  await expect.poll(() => polled).toHaveLength(3);
  await yieldToEventLoop();
  // Polls wait in one queue: another poll of the node would begin before this one.
  exporter.connectionClosed('other');
  await expect.poll(() => polled).toHaveLength(4);
  expect(polled.slice(2)).toEqual(['node', 'other']);
  expect(asked).toBe(2);
});

test('a reload that resets a target and ends its maintenance window records the end of the maintenance', async () => {
  const url = await kept(serveAnswer(200, '{"checks":{},"healthy":true}'));
  const stop = new AbortController();
  onTestFinished(() => stop.abort());
  const of = (healthCheckFrequency: number) => ({
    options: targetOptions({ url, healthCheckFrequency }),
    client: clientOf(url),
  });
  const eventHistory = createEventHistory({ run: 'run' });
  let open: MaintenanceWindow | undefined = { start: at - 10, end: at + 3600, reason: 'upgrade', source: 'configuration' };
  const maintenance = () => open;
  const exporter = startExporter([of(30)], { now: () => at, log: silentLog, signal: stop.signal, eventHistory, maintenance });
  open = undefined;
  expect(exporter.replace([of(20)]).reset).toEqual(['node']);
  expect(eventHistory.records('node').map(({ kind }) => kind)).toEqual(['maintenance', 'maintenance-ended']);
});

test('if the polls of several targets end together, one target is rendered per iteration of the event loop', async () => {
  const url = await kept(serveAnswer(200, '{"checks":{},"healthy":true}'));
  const stop = new AbortController();
  onTestFinished(() => stop.abort());
  const all = Array.from({ length: 5 }, (_, at) => ({
    options: targetOptions({ name: `n${at}`, url, healthCheckFrequency: 3600 }),
    client: clientOf(url),
  }));
  let turn = 0;
  const count = (): void => {
    turn += 1;
    if (!stop.signal.aborted) setImmediate(count);
  };
  let ended = 0;
  let end: () => void = () => undefined;
  const together = new Promise<void>((resolve) => {
    end = resolve;
  });
  const listener = async (): Promise<undefined> => {
    ended += 1;
    if (ended === all.length) end();
    await together;
  };
  const turns: number[] = [];
  const dependencies = { now: () => performance.now() / 1000, log: silentLog, signal: stop.signal, listener };
  count();
  startExporter(all, { ...dependencies, polled: () => turns.push(turn) });
  await expect.poll(() => turns).toHaveLength(all.length);
  expect(new Set(turns).size).toBe(all.length);
});

test('a configured target does not wait until many targets that were discovered at once are processed', async () => {
  const url = await kept(serveAnswer(200, '{"checks":{},"healthy":true}'));
  const stop = new AbortController();
  onTestFinished(() => stop.abort());
  const targetAt = (name: string) => ({
    options: targetOptions({ name, url: `${url}/${name}`, healthCheckFrequency: 1 }),
    client: clientOf(url),
  });
  const configured = targetAt('configured');
  const found = Array.from({ length: 50 }, (_, at) => ({ ...targetAt(`n${at}`), isDiscovered: true }));
  const polled: string[] = [];
  const ended = new Set<string>();
  let end: () => void = () => undefined;
  const together = new Promise<void>((resolve) => {
    end = resolve;
  });
  const listener = async (of: string): Promise<undefined> => {
    if (polled.length === 0) return;
    ended.add(of);
    if (ended.size > found.length) end();
    await together;
    if (of === configured.options.url) await yieldToEventLoop();
  };
  const exporter = startExporter([configured], {
    ...{ now: () => performance.now() / 1000, log: silentLog, signal: stop.signal, listener },
    polled: ({ state }) => polled.push(state.options.name),
  });
  await expect.poll(() => polled).toEqual(['configured']);
  exporter.replace([configured, ...found]);
  const again = (): number => polled.indexOf('configured', 1);
  await expect.poll(again, { timeout: 60_000 }).toBeGreaterThan(0);
  expect(again()).toBeLessThan(10);
});

test.each([0, 1, 6, 12])('a reload %i event loop iterations after the last response is not undone by the poll', async (turns) => {
  const node = await startTestNode();
  await node.ticks(roundsToSettle);
  const stop = new AbortController();
  onTestFinished(() => stop.abort());
  const options = targetOptions({ url: node.url, healthCheckFrequency: 3600, indexes: [] });
  const [client, labels] = [clientOf(node.url), { site: 'there' }];
  let exporter: ReturnType<typeof startExporter> | undefined;
  let tell: () => void = () => undefined;
  const reloaded = new Promise<void>((resolve) => {
    tell = resolve;
  });
  const reload = (left: number): void => {
    if (left > 0) return void setImmediate(reload, left - 1);
    exporter?.replace([{ options: { ...options, labels }, client }]);
    tell();
  };
  const listener = async (): Promise<undefined> => {
    reload(turns);
  };
  const polled = new Promise<void>((resolve) => {
    const dependencies = { now: () => performance.now() / 1000, log: silentLog, signal: stop.signal, listener };
    exporter = startExporter([{ options, client }], { ...dependencies, polled: () => resolve() });
  });
  await Promise.all([polled, reloaded]);
  const target = exporter?.targets.get(options.name);
  expect(target?.state.lastPoll?.answered).toBe(true);
  expect(target?.state.options.labels).toEqual(labels);
});

describe('the exporter on real sockets and a real clock', () => {
  // The delay is asserted in simulated time (test/snapshot) and measured by bench/detection.ts: here the machine itself
  // may be slow.
  test('learns the check interval of the node, follows its runs and measures the detection delay', {
    timeout: 420_000,
  }, async () => {
    const stop = new AbortController();
    const now = (): number => Date.now() / 1000;
    const node = await startNode(
      { ...defaultNodeOptions, httpPort: 0, healthCheckFrequency: 2 },
      { now, log: silentLog, signal: stop.signal },
    );
    const options = targetOptions({ url: node.url, healthCheckFrequency: 2, indexes: [] });
    const client = createClient(
      { baseUrl: node.url, timeoutMs: 60_000, maxBodyBytes: 1_000_000, userAgent: 'snowgauge/test' },
      now,
    );
    const exporter = startExporter([{ options, client }], { now, log: silentLog, signal: stop.signal });
    onTestFinished(async () => {
      stop.abort();
      await exporter.finished;
      await node.closed;
    });
    const target = () => exporter.targets.get('node')?.state;
    await expect.poll(() => target()?.interval.inferred).toBeGreaterThan(0.5);
    const detected = () => (target()?.detectionDelay.counts ?? []).reduce((sum, count) => sum + count, 0);
    await expect.poll(detected, { timeout: 280_000 }).toBeGreaterThan(3);
    expect(exporter.lastTick()).toBeGreaterThan(now() - 30);
  });
});
