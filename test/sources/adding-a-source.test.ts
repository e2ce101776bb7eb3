// A new source, as POST /ext/about would be: one module and one row in the table, and the exporter polls, counts, ages, logs and exports
// it with the others. Nothing else names it. (API and page: test/server.)

import { describe, expect, onTestFinished, test } from 'vitest';
import type { Answer } from '../../src/client/client.ts';
import type { Outcome } from '../../src/client/outcome.ts';
import { judge } from '../../src/conditions/judge.ts';
import { startExporter } from '../../src/exporter.ts';
import { contributionOf } from '../../src/metrics/contribution.ts';
import { definitions, targetDefinitions } from '../../src/metrics/families.ts';
import { type Definition, group } from '../../src/metrics/family.ts';
import { layoutOf } from '../../src/metrics/layout.ts';
import { poll } from '../../src/poller/poll.ts';
import { current, type Observed, observe, observeAnswer, observedAt, pending } from '../../src/snapshot/observed.ts';
import { changes } from '../../src/sources/changes.ts';
import type { Source, SourceTable } from '../../src/sources/source.ts';
import { sources } from '../../src/sources/sources.ts';
import { newTarget, type TargetState } from '../../src/sources/target-state.ts';
import { clientOf } from '../support/asking.ts';
import { listeningLog } from '../support/events.ts';
import { parseExposition } from '../support/exposition-parser.ts';
import { textOf } from '../support/metrics.ts';
import { serveHttp } from '../support/serve.ts';
import { noon, targetOptions } from '../support/snapshot.ts';

const definition: Definition = {
  name: 'snowgauge_node_version_info',
  labels: ['target', 'version'],
  unit: 'info',
  help: 'Always 1. The version of the node is the label.',
  source: 'about.getVersion',
  stability: 'beta',
};

/** In the product the client gets the method from the wire table; here the module sends the request itself. */
const ask = async (url: string, at: number): Promise<Answer<string>> => {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'about.getVersion', params: {} });
  const response = await fetch(`${url}/ext/about`, { method: 'POST', body });
  const outcome: Outcome<string> = response.ok
    ? { kind: 'ok', value: (await response.text()).trim() }
    : { kind: 'http-status', status: response.status };
  return { outcome, sentAt: at, endedAt: at };
};

/** The module. */
const aboutAt = (now: () => number): Source<Observed<string>, Answer<string>> => ({
  api: 'about',
  every: 60,
  start: () => pending,
  ask: ({ options }) => ask(options.url, now()),
  answers: (asked) => [asked],
  observe: observeAnswer,
  fail: observe,
  observedAt: (state) => observedAt([state]),
  ongoing: () => [],
  changes: (before, after) =>
    after.state === 'fresh' && before.state !== 'fresh'
      ? [{ level: 'info', message: 'node version', fields: { version: after.value } }]
      : [],
  families: [
    group<Observed<string>, string>(
      [{ ...definition, type: 'gauge', value: () => 1 }],
      (state, { now: at, maxAge }) => {
        const version = current(state, at, maxAge);
        return version === undefined ? [] : [version];
      },
      (version) => [version],
    ),
  ],
  status: () => ({}),
  facts: () => [],
});

interface AskedNode {
  readonly url: string;
  /** How often each path was requested. */
  readonly asked: (path: string) => number;
  readonly setStatus: (status: number) => void;
}

const health = JSON.stringify({ checks: {}, healthy: true });

const node = async (): Promise<AskedNode> => {
  const counts = new Map<string, number>();
  let status = 200;
  const served = await serveHttp((request, response) => {
    const { pathname } = new URL(request.url ?? '', 'http://node');
    counts.set(pathname, (counts.get(pathname) ?? 0) + 1);
    request.resume();
    response.writeHead(pathname === '/ext/about' ? status : 200, { 'content-type': 'application/json' });
    response.end(pathname === '/ext/about' ? 'avalanchego/1.14.0' : health);
  });
  onTestFinished(() => served.close());
  return {
    url: served.url,
    asked: (path) => counts.get(path) ?? 0,
    setStatus: (to) => {
      status = to;
    },
  };
};

const watched = async () => {
  let now = noon;
  const { url, asked, setStatus } = await node();
  /** The row. */
  const table = { ...sources, about: aboutAt(() => now) } as const satisfies SourceTable;
  const client = clientOf(url);
  onTestFinished(() => client.close());
  let state: TargetState = newTarget(targetOptions({ url }), table);
  return {
    asked,
    setStatus,
    table,
    state: () => state,
    pollAfter: async (seconds: number): Promise<TargetState> => {
      now += seconds;
      state = (await poll({ table, state: () => state, client, now: () => now })).state;
      return state;
    },
    page: async (after = 0): Promise<string> => {
      const target = { state, conditions: judge(undefined, state, now) };
      const layout = layoutOf(table);
      return textOf(contributionOf(layout, target, now + after, 0), layout);
    },
  };
};

describe('a source that is one module and one row', () => {
  test('is polled with the others, no more often than its own interval', async () => {
    const { asked, pollAfter } = await watched();
    for (let polls = 0; polls < 5; polls += 1) await pollAfter(polls === 0 ? 0 : 30);
    expect(asked('/ext/health/liveness')).toBe(5);
    expect(asked('/ext/about')).toBe(3);
  });

  test('counts its polls under its own api label, starting from 0', async () => {
    const { pollAfter, setStatus, state } = await watched();
    expect(state().polls.get('about')).toEqual(new Map([['ok', 0]]));
    await pollAfter(0);
    setStatus(404);
    expect((await pollAfter(60)).polls.get('about')).toEqual(
      new Map([
        ['ok', 1],
        ['http-status', 1],
      ]),
    );
  });

  test('has a state in the target and a family on the metrics page', async () => {
    const { pollAfter, page, table } = await watched();
    expect((await pollAfter(0)).sources.about).toMatchObject({ state: 'fresh', value: 'avalanchego/1.14.0' });
    const [family] = parseExposition(await page(), 'text').filter(({ name }) => name === definition.name);
    expect(family?.series.map(({ labels, value }) => [labels.get('target'), labels.get('version'), value])).toEqual([
      ['node', 'avalanchego/1.14.0', 1],
    ]);
    expect(targetDefinitions(table).map(({ name }) => name)).toContain(definition.name);
    expect(definitions.map(({ name }) => name)).not.toContain(definition.name);
  });

  test('has no samples once its last answer is older than three of its own intervals', async () => {
    const { pollAfter, page } = await watched();
    await pollAfter(0);
    expect(await page(180)).toContain(definition.name);
    expect(await page(180.001)).not.toContain(definition.name);
  });

  test('logs its changes', async () => {
    const { pollAfter, state, table } = await watched();
    const before = state();
    const after = await pollAfter(0);
    expect(changes(table, before, after)).toContainEqual({
      level: 'info',
      message: 'node version',
      fields: { version: 'avalanchego/1.14.0' },
    });
  });

  test('runs in the exporter without further changes', async () => {
    const { url, asked } = await node();
    const now = (): number => Date.now() / 1000;
    const { log, said } = listeningLog();
    const stop = new AbortController();
    const polled = new Promise<void>((resolve) => {
      const exporter = startExporter([{ options: targetOptions({ url }), client: clientOf(url) }], {
        now,
        log,
        signal: stop.signal,
        table: { ...sources, about: aboutAt(now) },
        polled: () => resolve(),
      });
      onTestFinished(async () => {
        stop.abort();
        await exporter.finished;
      });
    });
    await polled;
    expect(asked('/ext/about')).toBe(1);
    await expect.poll(() => said.map(({ message }) => message)).toContain('node version');
  });
});

test('a source that lacks a member does not compile', () => {
  const about = aboutAt(() => noon);
  const lacking = [
    // @ts-expect-error no initial state
    { ...sources, about: { ...about, start: undefined } } satisfies SourceTable,
    // @ts-expect-error sends no requests
    { ...sources, about: { ...about, ask: undefined } } satisfies SourceTable,
    // @ts-expect-error counts no polls
    { ...sources, about: { ...about, answers: undefined } } satisfies SourceTable,
    // @ts-expect-error observes no answers
    { ...sources, about: { ...about, observe: undefined } } satisfies SourceTable,
    // @ts-expect-error handles no failures
    { ...sources, about: { ...about, fail: undefined } } satisfies SourceTable,
    // @ts-expect-error has no age
    { ...sources, about: { ...about, observedAt: undefined } } satisfies SourceTable,
    // @ts-expect-error logs nothing
    { ...sources, about: { ...about, changes: undefined } } satisfies SourceTable,
    // @ts-expect-error exports no metrics
    { ...sources, about: { ...about, families: undefined } } satisfies SourceTable,
    // @ts-expect-error is not in the API
    { ...sources, about: { ...about, status: undefined } } satisfies SourceTable,
    // @ts-expect-error logs no ongoing states
    { ...sources, about: { ...about, ongoing: undefined } } satisfies SourceTable,
    // @ts-expect-error is not on the status page
    { ...sources, about: { ...about, facts: undefined } } satisfies SourceTable,
  ];
  expect(lacking).toHaveLength(Object.keys(about).filter((name) => name !== 'api' && name !== 'every').length);
});
