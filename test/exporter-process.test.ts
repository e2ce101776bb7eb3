// Which process the conditions describe: the report of a previous process does not count for the next one, and a closed connection does
// not mean that the process ended. Over real sockets, with the clock of the test.

import type { Socket } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { dueAfter } from '../src/poller/poll.ts';
import { listeningLog } from './support/events.ts';
import { freePort } from './support/free-port.ts';
import { roundsToSettle, startTestNode } from './support/node.ts';
import { serveHttp } from './support/serve.ts';
import { valuesOf, type Watching, watch } from './support/watching.ts';

const at = 1_800_000_000;

const readyOf = ({ conditions }: Watching) => {
  const { status, reason } = conditions().ready.get('all') ?? { status: undefined, reason: undefined };
  return `${status} ${reason}`;
};

/** Seconds until the next poll, after one that was due now. */
const waitOf = (watching: Watching, now: number): number =>
  dueAfter(watching.target(), { lastDue: now, lastStart: now, lastEnd: now, offset: 0, cause: 'due' }) - now;

describe('a node whose port is closed', () => {
  test('is Unknown at once, and polled every second for a minute, then less often, until it has reported again', async () => {
    let now = at;
    const node = await startTestNode();
    await node.ticks(roundsToSettle);
    const watching = watch(node.url, () => now, { indexes: [], healthCheckFrequency: 30 });
    const pass = async (seconds: number): Promise<void> => {
      now += seconds;
      node.advance(seconds);
      await node.ticks(1);
      await watching.poll();
    };
    for (let polls = 0; polls < 4; polls += 1) await pass(30);
    expect(watching.conditions().ready.get('all')?.status).toBe('True');

    await node.setFaults([{ fault: 'api-refuses' }]);
    for (const seconds of [30, 1, 1]) {
      now += seconds;
      await watching.poll();
      expect(readyOf(watching)).toBe('Unknown ConnectionRefused');
      expect(watching.conditions().healthy.get('all')?.status).toBe('Unknown');
      expect(waitOf(watching, now)).toBe(1);
    }
    now += 298;
    await watching.poll();
    expect(waitOf(watching, now)).toBe(5);
    await node.setFaults([]);
    await pass(1);
    expect(watching.target().process).toEqual({ state: 'reported' });
    expect(waitOf(watching, now)).toBeGreaterThan(1);
    expect(watching.eventHistory.records().map(({ kind }) => kind)).toContain('node-restarted');
  });

  test('is polled again after a second if the first poll was caused by a closed connection', async () => {
    const watching = watch(`http://127.0.0.1:${await freePort()}`, () => at, { indexes: [] });
    await watching.poll('patient', 'closed');
    expect(watching.target().process).toMatchObject({ state: 'gone' });
    const due = dueAfter(watching.target(), { lastDue: at + 25, lastStart: at, lastEnd: at, offset: 0, cause: 'closed' });
    expect(due).toBe(at + 1);
  });
});

const first = 'NodeID-7Xhw2mDxuDS44j42TCB6U5579esbSt3Lg';
const second = 'NodeID-111111111111111111116DBWJs';

/**
 * Responds as a healthy node whose check has just run, until `replace` changes the node. `every`: seconds
 * between two runs of its checks; by default, they run at every request.
 */
const healthyNode = async (now: () => number, every?: number) => {
  let nodeId = first;
  let error: string | undefined;
  let requests = 0;
  const open = new Set<Socket>();
  const served = await serveHttp((request, response) => {
    requests += 1;
    if (request.headers.connection === 'close') open.delete(request.socket);
    else open.add(request.socket);
    request.resume();
    // Readiness and liveness do not fail, so that they do not indicate a restart.
    const failing = error !== undefined && request.url === '/ext/health';
    const ranAt = every === undefined ? now() : Math.floor(now() / every) * every;
    const check = { timestamp: new Date(ranAt * 1000).toISOString(), duration: 5000, ...(failing && { error }) };
    response.writeHead(200, { 'content-type': 'application/json', 'node-id': nodeId });
    response.end(JSON.stringify({ checks: { database: check }, healthy: !failing }));
  });
  onTestFinished(() => served.close());
  return {
    url: served.url,
    requests: () => requests,
    /** `failing`: the error of its check, if it fails. */
    replace: (by: string, failing?: string) => {
      nodeId = by;
      error = failing;
    },
    /** Closes every connection, as a server does with idle ones; returns their number. */
    closeIdle: (): number => {
      const count = open.size;
      for (const socket of open) socket.end();
      open.clear();
      return count;
    },
  };
};

/** Counts the connections that the node has closed, as reported by the client. */
const closings = () => {
  let seen = 0;
  let wake: () => void = () => undefined;
  return {
    onClosed: () => {
      seen += 1;
      wake();
    },
    reached: async (count: number): Promise<void> => {
      while (seen < count)
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
    },
  };
};

test('a server that closes idle connections every 5 s for ten minutes does not make its node not ready', async () => {
  let now = at;
  const node = await healthyNode(() => now);
  const { onClosed, reached } = closings();
  const watching = watch(node.url, () => now, { indexes: [], healthCheckFrequency: 30 }, {}, { onClosed });
  for (let polls = 0; polls < 3; polls += 1) {
    await watching.poll();
    now += 30;
  }
  expect(watching.conditions().ready.get('all')?.status).toBe('True');
  const said = watching.eventHistory.records().length;

  let closed = 0;
  let contacts = 0;
  for (let seconds = 5; seconds <= 600; seconds += 5) {
    now += 5;
    const ended = node.closeIdle();
    if (ended > 0) {
      closed += ended;
      await reached(closed);
      const before = node.requests();
      await watching.poll('patient', 'closed');
      contacts += 1;
      // The process is the same: that takes one request, and the next poll stays due.
      expect(node.requests() - before).toBe(1);
      const end = { lastDue: now + 20, lastStart: now, lastEnd: now, offset: 0, cause: 'closed' } as const;
      expect(dueAfter(watching.target(), end)).toBe(now + 20);
    }
    if (seconds % 30 === 0) await watching.poll();
    expect(watching.target().process).toEqual({ state: 'reported' });
    expect(watching.conditions().ready.get('all')?.status).toBe('True');
  }
  // The connection of the extra request ends with its response, so each poll is followed by only one of them.
  expect(contacts).toBe(20);
  expect(watching.eventHistory.records()).toHaveLength(said);
  expect(watching.target().restarts.count).toBe(0);
});

test('a changed NodeID is counted, recorded and logged, and conditions are not carried over from the previous node', async () => {
  let now = at;
  const node = await healthyNode(() => now);
  const { log, said } = listeningLog();
  const watching = watch(node.url, () => now, { indexes: [], healthCheckFrequency: 30 }, {}, { log });
  for (let polls = 0; polls < 3; polls += 1) {
    await watching.poll();
    now += 30;
  }
  const ready = () => watching.conditions().ready.get('all')?.status;
  expect(ready()).toBe('True');
  expect(valuesOf(await watching.page(), 'snowgauge_node_id_changes_total')).toEqual([0]);

  // For node A, one failing run would not be enough to make it not ready.
  node.replace(second, 'closed');
  await watching.poll();
  expect(valuesOf(await watching.page(), 'snowgauge_node_id_changes_total')).toEqual([1]);
  expect(valuesOf(await watching.page(), 'snowgauge_target_info', { node_id: second })).toEqual([1]);
  const changed = watching.eventHistory.records().filter(({ kind }) => kind === 'node-id-changed');
  expect(changed).toMatchObject([{ from: first, to: second, at: now }]);
  expect(said.filter(({ message }) => message === `NodeID changed from ${first} to ${second}`)).toMatchObject([
    { level: 'warn' },
  ]);
  expect(ready()).toBe('False');
  // The check interval of node A does not apply to node B.
  expect(watching.target().interval.apart).toBeUndefined();
  now += 30;
  node.replace(second);
  await watching.poll();
  expect(ready()).toBe('True');
  expect(valuesOf(await watching.page(), 'snowgauge_node_id_changes_total')).toEqual([1]);
  // The runs of the two nodes are not compared.
  expect(watching.target().restarts.count).toBe(0);
  expect(watching.target().missedRuns).toBe(0);
});

test('the counter of missed runs starts when the check interval is known, and stays when another node responds', async () => {
  let now = at;
  const node = await healthyNode(() => now, 30);
  const watching = watch(node.url, () => now, { indexes: [], healthCheckFrequency: 30 });
  const missed = async () => valuesOf(await watching.page(), 'snowgauge_check_missed_runs_total');
  await watching.poll();
  expect(await missed()).toEqual([]);
  for (let seconds = 0; seconds < 300; seconds += 5) {
    now += 5;
    await watching.poll();
  }
  expect(watching.target().interval.confirmed).toBe(30);
  expect(await missed()).toEqual([0]);

  node.replace(second);
  now += 5;
  await watching.poll();
  expect(watching.target().interval.confirmed).toBeUndefined();
  expect(await missed()).toEqual([0]);
});

const readinessOf = async (url: string): Promise<boolean> => (await fetch(`${url}/ext/health/readiness`)).status === 200;

describe('a node that restarts between two polls is not Ready before its readiness endpoint is', () => {
  test.each([
    { how: 'if it is polled because its connection closed', cause: 'closed' },
    { how: 'if it is polled when the next poll is due', cause: 'due' },
  ] as const)('$how', async ({ cause }) => {
    let now = at;
    const httpPort = await freePort();
    const scenario = 'chains: { P: { history: 40 }, X: { history: 40 }, C: { history: 40 } }';
    const first = await startTestNode({ httpPort, dialect: 'avalanchego' }, scenario, now);
    await first.ticks(roundsToSettle);
    const { onClosed, reached } = closings();
    const watching = watch(first.url, () => now, { indexes: [], healthCheckFrequency: 30 }, {}, { onClosed });
    const ready = () => watching.conditions().ready.get('all')?.status;
    for (let polls = 0; polls < 3; polls += 1) {
      now += 30;
      first.advance(30);
      await first.ticks(1);
      await watching.poll();
    }
    expect(ready()).toBe('True');

    await first.close();
    const second = await startTestNode({ httpPort, dialect: 'avalanchego' }, scenario, now);
    if (cause === 'closed') await reached(1);
    expect(await readinessOf(second.url)).toBe(false);
    now += 1;
    await watching.poll('patient', cause);
    expect(ready()).not.toBe('True');
    for (let polls = 0; polls < 40 && ready() !== 'True'; polls += 1) {
      now += 30;
      second.advance(30);
      await second.ticks(1);
      const itself = await readinessOf(second.url);
      await watching.poll();
      if (ready() === 'True') expect(itself).toBe(true);
    }
    expect(ready()).toBe('True');
    expect(watching.eventHistory.records().filter(({ kind }) => kind === 'node-restarted')).toHaveLength(1);
  });
});
