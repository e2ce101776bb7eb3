// The API and the page show a new source that has only its module and its row in the table.

import { expect, test } from 'vitest';
import type { Answer } from '../../src/client/client.ts';
import type { Target } from '../../src/conditions/condition.ts';
import { targetStatus } from '../../src/server/status.ts';
import { current, type Observed, observe, observeAnswer, pending } from '../../src/snapshot/observed.ts';
import { type ObservedStatus, observedStatus } from '../../src/sources/observed-status.ts';
import type { Source } from '../../src/sources/source.ts';
import { sources, sourcesOf } from '../../src/sources/sources.ts';
import { newTarget } from '../../src/sources/target-state.ts';
import { serveExporter, stateOf } from '../support/exporter-server.ts';
import { fresh, judged, noon, passing, report, targetKnowing, targetOptions } from '../support/snapshot.ts';

interface VersionStatus {
  readonly nodeVersion: ObservedStatus & { readonly version?: string };
}

/** As info.getNodeVersion would be. */
const nodeVersion: Source<Observed<string>, Answer<string>, object, VersionStatus> = {
  api: 'info',
  start: () => pending,
  ask: async () => ({ outcome: { kind: 'ok', value: 'avalanchego/1.14.0' }, sentAt: noon, endedAt: noon }),
  answers: (asked) => [asked],
  observe: observeAnswer,
  fail: observe,
  observedAt: () => [],
  ongoing: () => [],
  changes: () => [],
  families: [],
  status: (state, context) => {
    const version = current(state, context.now, context.maxAge);
    return { nodeVersion: { ...observedStatus(state, context), ...(version !== undefined && { version }) } };
  },
  facts: ({ nodeVersion: { version } }) => [{ name: 'Node version', value: version ?? 'not known yet' }],
};

const table = { ...sources, nodeVersion } as const;

const target = (known: Observed<string>): Target => {
  const state = targetKnowing(targetOptions(), { health: { all: fresh(report({ P: passing() })) } });
  const { conditions } = judged(state);
  const unasked = newTarget(targetOptions(), table);
  return { conditions, state: { ...unasked, ...state, sources: { ...unasked.sources, ...state.sources, nodeVersion: known } } };
};

test('the API shows the status of a new source next to the others', () => {
  const shown = targetStatus(table, target(fresh('avalanchego/1.14.0')), { now: noon, wallOffset: 0 });
  expect(shown).toHaveProperty('nodeVersion.version', 'avalanchego/1.14.0');
  expect(shown.tagSets[0]?.healthy).toBe(true);
});

test.each([
  { known: fresh('avalanchego/<b>'), shown: 'avalanchego/&lt;b&gt;' },
  { known: pending, shown: 'not known yet' },
])('the page lists the facts of a new source: $shown', async ({ known, shown }) => {
  const { url } = await serveExporter({ table, state: () => stateOf(new Map([['node', target(known)]])) });
  expect(await (await fetch(url)).text()).toContain(`<dt>Node version</dt><dd>${shown}</dd>`);
  expect(await (await fetch(`${url}/api/v1/status`)).json()).toHaveProperty('targets.0.nodeVersion.freshness');
});

test('no two sources have a status member of the same name', () => {
  const { state } = target(pending);
  const context = { now: noon, maxAge: 90, nodeNow: noon, wallOffset: 0, options: state.options, detail: 'whole' } as const;
  const members = sourcesOf(sources).flatMap(([name, source]) => Object.keys(source.status(state.sources[name], context)));
  expect(members).toEqual([...new Set(members)]);
});
