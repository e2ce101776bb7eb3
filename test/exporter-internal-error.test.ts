// If the exporter throws while it handles the responses of a target, the outcome of that target is internal-error. It is counted, its
// stack is logged once, and all other targets are still polled.

import { describe, expect, onTestFinished, test } from 'vitest';
import type { Target } from '../src/conditions/condition.ts';
import { type Exporter, type ExporterDependencies, startExporter } from '../src/exporter.ts';
import { createPage } from '../src/metrics/page.ts';
import { type Sources, sources } from '../src/sources/sources.ts';
import { clientOf } from './support/asking.ts';
import { listeningLog, type Said } from './support/events.ts';
import { build } from './support/metrics.ts';
import { serveHttp } from './support/serve.ts';
import { targetOptions } from './support/snapshot.ts';

/** A report with one check that has just run. */
const healthy = (): string => {
  const check = { timestamp: new Date().toISOString(), duration: 5000 };
  return JSON.stringify({ checks: { P: check }, healthy: true });
};

const fault = (): never => {
  throw new Error('cannot be understood');
};

const isBad = ({ name }: { readonly name: string }): boolean => name === 'bad';

interface Watched {
  readonly exporter: Exporter;
  readonly said: readonly Said[];
  readonly target: (name: string) => Target;
  /** Resolves when both targets were polled that often. */
  readonly polled: (times: number) => Promise<void>;
}

type Given = Pick<ExporterDependencies, 'table' | 'polled'>;

const watched = async ({ table, polled: each }: Given): Promise<Watched> => {
  const server = await serveHttp((request, response) => {
    request.resume();
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(healthy());
  });
  onTestFinished(() => server.close());
  const { log, said } = listeningLog();
  const stop = new AbortController();
  const of = (name: string) => {
    const url = `${server.url}/${name}`;
    return { options: targetOptions({ name, url, healthCheckFrequency: 1 }), client: clientOf(url) };
  };
  const counts = new Map<string, number>();
  const exporter = startExporter([of('bad'), of('good')], {
    now: () => Date.now() / 1000,
    log,
    signal: stop.signal,
    ...(table && { table }),
    polled: (target) => {
      each?.(target);
      const { name } = target.state.options;
      counts.set(name, (counts.get(name) ?? 0) + 1);
    },
  });
  onTestFinished(async () => {
    stop.abort();
    await exporter.finished;
  });
  const target = (name: string): Target => {
    const found = exporter.targets.get(name);
    if (found === undefined) throw new Error(`no target ${name}`);
    return found;
  };
  return {
    exporter,
    said,
    target,
    polled: async (times) => {
      for (const name of ['bad', 'good']) await expect.poll(() => counts.get(name) ?? 0).toBeGreaterThanOrEqual(times);
    },
  };
};

const internalErrors = ({ state }: Target, api: string): number => state.polls.get(api)?.get('internal-error') ?? 0;

const bugs = (said: readonly Said[]) => said.filter(({ message }) => message.includes('a bug in snowgauge'));

const { liveness, health } = sources;

const rows: readonly { readonly where: string; readonly apis: readonly string[]; readonly table: Sources }[] = [
  {
    where: 'a source sends its request',
    apis: ['liveness'],
    table: {
      ...sources,
      liveness: { ...liveness, ask: (question) => (isBad(question.options) ? fault() : liveness.ask(question)) },
    },
  },
  {
    where: 'a source handles a response before its next request',
    apis: ['liveness'],
    table: {
      ...sources,
      liveness: {
        ...liveness,
        ask: async (question) => {
          const answer = await liveness.ask(question);
          return isBad(question.options) ? fault() : answer;
        },
      },
    },
  },
  {
    where: 'a source observes its response',
    apis: ['liveness'],
    table: {
      ...sources,
      liveness: {
        ...liveness,
        observe: (before, asked, step) => (isBad(step.options) ? fault() : liveness.observe(before, asked, step)),
      },
    },
  },
  {
    where: 'a source computes its log lines',
    apis: ['readiness', 'health', 'liveness', 'index'],
    table: {
      ...sources,
      liveness: {
        ...liveness,
        // Only the result of the poll throws, not the state that is kept when the result is discarded.
        changes: (_, after, options) => (isBad(options) && after.state === 'fresh' ? fault() : []),
      },
    },
  },
  {
    where: 'the conditions are computed',
    apis: ['readiness', 'health', 'liveness', 'index'],
    table: {
      ...sources,
      health: {
        ...health,
        observe: (before, asked, step) => {
          const after = health.observe(before, asked, step);
          return isBad(step.options) ? Object.defineProperty({ ...after }, 'reports', { get: fault }) : after;
        },
      },
    },
  },
];

describe('if the exporter throws while', () => {
  test.each(rows)(
    '$where, the target has the outcome internal-error, and the other one is still polled',
    async ({ apis, table }) => {
      const { polled, target, said } = await watched({ table });
      await polled(3);
      for (const api of apis) expect(internalErrors(target('bad'), api)).toBeGreaterThanOrEqual(2);
      expect(target('bad').state.lastPoll?.failures).toContainEqual({ kind: 'internal-error', reason: 'cannot be understood' });

      const good = target('good');
      expect([...good.state.polls.values()].flatMap((outcomes) => [...outcomes.keys()])).not.toContain('internal-error');
      expect(good.conditions.healthy.get('all')?.status).toBe('True');

      const told = bugs(said);
      expect(new Set(told.map(({ fields }) => fields.source)).size).toBe(told.length);
      expect(told).toMatchObject([
        { level: 'error', fields: { target: 'bad', stack: expect.stringMatching(/cannot be understood\n +at .*fault/) } },
      ]);
    },
  );

  test('the families of a target are rendered, its outcome is internal-error, also without scrapes', async () => {
    const table: Sources = {
      ...sources,
      liveness: {
        ...liveness,
        families: [
          {
            definitions: [],
            families: (state, { target }) => (target === 'target="bad"' && state.state === 'fresh' ? fault() : []),
          },
        ],
      },
    };
    const page = createPage(build, table);
    const { polled, target, said } = await watched({
      table,
      polled: (polledTarget) => page.prepare(polledTarget, Date.now() / 1000, 0),
    });
    await polled(3);
    expect(internalErrors(target('bad'), 'liveness')).toBeGreaterThanOrEqual(2);
    expect(internalErrors(target('good'), 'liveness')).toBe(0);
    expect(bugs(said)).toHaveLength(1);
  });
});

test('after an internal error, the previous report is kept as stale, and the conditions do not blame the node', async () => {
  let isFaulty = false;
  const table: Sources = {
    ...sources,
    health: {
      ...health,
      observe: (before, asked, step) => (isFaulty && isBad(step.options) ? fault() : health.observe(before, asked, step)),
    },
  };
  const { polled, target } = await watched({ table });
  await polled(2);
  isFaulty = true;
  await expect.poll(() => internalErrors(target('bad'), 'health')).toBeGreaterThanOrEqual(1);
  const { state, conditions } = target('bad');
  expect(state.sources.health.reports.get('all')).toMatchObject({
    state: 'stale',
    value: { healthy: true },
    failure: { kind: 'internal-error' },
  });
  expect(conditions.healthy.get('all')?.status).not.toBe('False');
  expect(conditions.live.status).not.toBe('False');
});
