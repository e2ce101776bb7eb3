// docs/metrics.md matches the tables, and the tables match the page.

import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { metricsDoc } from '../../scripts/docs/metrics.ts';
import { definitions, familiesOf } from '../../src/metrics/families.ts';
import { ownFamilies } from '../../src/metrics/own.ts';
import { sources } from '../../src/sources/sources.ts';
import { joins } from '../rules/joins.ts';
import { build, reload } from '../support/metrics.ts';
import { richTarget } from '../support/rich.ts';
import { judged, noon } from '../support/snapshot.ts';

test('docs/metrics.md is up to date (else: npm run docs)', () => {
  expect(readFileSync(new URL('../../docs/metrics.md', import.meta.url), 'utf8')).toBe(metricsDoc());
});

test('the document has exactly the joins that promtool evaluates', () => {
  const queries = Array.from(metricsDoc().matchAll(/```promql\n(.*?)\n```/gs), ([, query]) => query);
  expect(queries).toEqual(joins.map(({ expr }) => expr));
  for (const { title } of joins) expect(metricsDoc()).toContain(`${title.split('?')[0]}?`);
});

test('no two rows share a name', () => {
  const names = definitions.map(({ name }) => name);
  expect(names).toEqual([...new Set(names)]);
});

test('a complete page has exactly the families of the document', () => {
  const eventHistory = { writeFailures: 0, lost: 0, withheld: 0 };
  const podLabels = { current: true, succeededAt: noon, patches: new Map([['ok', 1]]) };
  const discovery = [{ source: 'file/0', successful: true, succeededAt: noon, targets: 1, dropped: new Map([['limit', 0]]) }];
  const shard = { shard: 0, total: 2, statefulSet: 'gauge', targets: 1, handover: 0, fleet: 2, successful: true };
  const overload = { overloaded: { heap: false }, shed: new Map([['page', 0]]), heapLimit: 2, heapLive: 1 };
  const kept = {
    eventHistory,
    podLabels,
    removedProbes: 0,
    injectionOutdated: false,
    discovery,
    shard,
    overload,
    stateDir: { newer: [] },
  };
  const own = ownFamilies(build, reload, kept);
  const maintenance = { start: noon, end: noon + 60, reason: 'upgrade', source: 'api' } as const;
  const target = { ...judged(richTarget()), maintenance, safeToRestart: { result: 'safe' } } as const;
  const shown = [...familiesOf(sources, target, noon, 0), ...own].map(({ definition }) => definition.name);
  expect([...shown].sort()).toEqual(definitions.map(({ name }) => name).sort());
});

test('the document names the families that remain when a node does not respond', () => {
  const [, kept = ''] = /Stale data is not exported\.(.*?)\n- /s.exec(metricsDoc()) ?? [];
  const named = Array.from(kept.matchAll(/`(snowgauge_\w+)`/g), ([, name]) => name);
  const dayLater = familiesOf(sources, judged(richTarget()), noon + 86_400, 0).filter(({ samples }) => samples.length > 0);
  const others = dayLater.map(({ definition }) => definition).filter(({ type }) => type === 'gauge');
  expect(named.toSorted()).toEqual(others.map(({ name }) => name).toSorted());
});

const suffix: Readonly<Record<string, RegExp>> = {
  seconds: /_seconds$/,
  timestamp: /_timestamp_seconds$/,
  bytes: /_bytes$/,
  ratio: /_ratio$/,
  info: /_info$/,
};

test.each(definitions.map(({ name, type, unit, help, source, labels }) => ({ name, type, unit, help, source, labels })))(
  '$name has its unit in its name and a sentence as help',
  ({ name, type, unit, help, source, labels }) => {
    expect(name).toMatch(/^snowgauge_[a-z][a-z0-9_]*[a-z]$/);
    expect(name).toMatch(suffix[unit] ?? /./);
    expect(name.endsWith('_total')).toBe(type === 'counter');
    expect(help).toMatch(/^[A-Z1].*\.$/);
    expect(help + source).not.toMatch(/[\n"\\]/);
    expect(source).not.toBe('');
    expect(new Set(labels).size).toBe(labels.length);
  },
);
