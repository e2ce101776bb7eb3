// Checks the alert table against the metric tables, the docs and its tests.

import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { boards } from '../../dashboards/boards.ts';
import { alertsDoc, runbookIndex, settingsOf } from '../../scripts/docs/alerts.ts';
import { readNames } from '../../scripts/names.mjs';
import { definitions } from '../../src/metrics/families.ts';
import { alertGroups, alerts } from '../../src/rules/alerts.ts';
import { plainFile, ruleGroups } from '../../src/rules/file.ts';
import { recordings } from '../../src/rules/recordings.ts';
import { forSetting, isOfTarget } from '../../src/rules/rule.ts';
import { defaults, settingsFrom, settingTable } from '../../src/rules/settings.ts';
import { fires, quiet } from './cases.ts';
import { familiesIn } from './promtool.ts';
import { well } from './series.ts';
import { situations } from './situations.ts';

const text = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const rules = [...ruleGroups(defaults, 'main'), ...ruleGroups(defaults, 'node-metrics')].flatMap((group) => group.rules);
const exprs = rules.map(({ expr }) => expr);
const records = recordings.map(({ record }) => record);
/** Families of Prometheus, the node, kube-state-metrics and the exporter process. */
const foreign = [
  'up',
  'avalanche_health_checks_failing',
  'process_start_time_seconds',
  'kube_statefulset_replicas',
  // Present only during maintenance windows.
  'snowgauge_target_maintenance_end_timestamp_seconds',
];
const base = new Set(Object.keys(well(1)).map((name) => name.replace(/\{.*/, '')));

test.each([
  { file: 'docs/alerts.md', made: alertsDoc },
  { file: 'docs/runbooks/README.md', made: runbookIndex },
  { file: 'deploy/prometheus/snowgauge.rules.yaml', made: () => plainFile(defaults, 'main') },
  { file: 'deploy/prometheus/snowgauge-node-metrics.rules.yaml', made: () => plainFile(defaults, 'node-metrics') },
])('$file is up to date (else: npm run docs)', ({ file, made }) => {
  expect(text(file)).toBe(made());
});

test('runbook links are those of this release, and dashboard links require the grafana setting', () => {
  const { repository, version } = readNames();
  for (const rule of rules.filter((one) => 'alert' in one)) {
    expect(rule.annotations.runbook_url).toBe(`${repository}/blob/v${version}/docs/runbooks/${rule.alert}.md`);
    expect(rule.annotations.dashboard_url).toBeUndefined();
  }
});

test('no target alert fires in a maintenance window, except those on node identity', () => {
  for (const { name, scope, inMaintenance } of alerts) {
    const own = [scope].flat().some(isOfTarget) && inMaintenance !== true;
    const rule = rules.find((one) => 'alert' in one && one.alert === name);
    expect({ name, suppressed: rule?.expr.endsWith('snowgauge:maintenance') }).toEqual({ name, suppressed: own });
  }
});

test('an alert on a cause fires before the alerts on its consequences, which would page separately otherwise', () => {
  const seconds = (text = ''): number =>
    Array.from(text.matchAll(/(\d+)([hms])/g), ([, many, unit]) => Number(many) * ({ h: 3600, m: 60 }[unit ?? ''] ?? 1)).reduce(
      (all, one) => all + one,
      0,
    );
  const silence = Number(defaults.noMessagesAge);
  const needs = new Map([['SnowgaugeNoMessages', silence]]);
  const looksBack = new Map([['SnowgaugeIndexStalled', seconds(defaults.indexWindow)]]);
  const pairs = alerts.flatMap((cause) =>
    (cause.explains ?? []).flatMap((name) => alerts.filter((one) => one.name === name).map((follows) => ({ cause, follows }))),
  );
  expect(pairs.length).toBeGreaterThan(5);
  for (const { cause, follows } of pairs.filter((one) => one.follows.severity === 'critical')) {
    const first = seconds(cause.for) + (needs.get(cause.name) ?? 0);
    const then_ = seconds(follows.for) + (looksBack.get(follows.name) ?? 0);
    const age = follows.name === 'SnowgaugeCheckFailing' ? Number(defaults.checkFailingAge) : 0;
    expect(first, `${cause.name} before ${follows.name}`).toBeLessThanOrEqual(then_ + age);
  }
});

describe('the table of alerts', () => {
  test('names each alert and each recording rule once', () => {
    const names = [...alerts.map(({ name }) => name), ...records];
    expect(names).toEqual([...new Set(names)]);
  });

  test('reads only families of the exporter', () => {
    const known = new Set<string>([...definitions.map(({ name }) => name), ...foreign]);
    expect(exprs.flatMap(familiesIn).filter((name) => !known.has(name))).toEqual([]);
  });

  test('uses only existing recording rules, and every recording rule is used by an alert or dashboard', () => {
    const shown = Object.values(boards).flatMap(({ sections }) =>
      sections.flatMap(({ panels }) => panels.flatMap(({ queries }) => queries.map(({ expr }) => expr))),
    );
    const texts = rules.flatMap((rule) => ('annotations' in rule ? [rule.annotations.description] : []));
    const read = new Set([...exprs, ...texts, ...shown].flatMap((expr) => expr.match(/snowgauge:\w+/g) ?? []));
    expect([...read].sort()).toEqual([...records].sort());
  });

  test('matches and groups only by labels of the families', () => {
    const labels = new Set([
      ...definitions.flatMap(({ labels: own }) => own),
      ...[
        'job',
        'namespace',
        'pod',
        'cluster',
        'instance',
        'version',
        'reason',
        'tag',
        'tag_set',
        'chain',
        'index',
        'state',
        'check',
        'exporter_pod',
        'exporter_instance',
        'node_id',
        'reference',
        'statefulset',
        // Labels of ALERTS.
        'alertname',
        'alertstate',
      ],
    ]);
    const used = exprs.flatMap((expr) =>
      Array.from(
        expr.matchAll(/(?:by|without|on|ignoring) \(([^)]*)\)|[{,] *(\w+)(?:=~|!~|!=|=)"/g),
        ([, list, one]) => list ?? one ?? '',
      ),
    );
    const names = used.flatMap((list) => list.split(/, */)).filter((name) => name !== '');
    expect(names.length).toBeGreaterThan(20);
    expect(names.filter((name) => !labels.has(name))).toEqual([]);
  });

  test.each(alerts.map((alert) => ({ name: alert.name, alert })))(
    '$name has annotations with existing labels only',
    ({ alert }) => {
      expect(alert.name).toMatch(/^Snowgauge(?:[A-Z][a-z]+)+$/);
      expect(alert.summary).toMatch(/\.$/);
      expect(alert.description).toMatch(/[.}]$/);
      expect(alert.summary.length).toBeLessThan(200);
      expect(alert.when).not.toMatch(/\.$/);
      expect(forSetting(alert) in defaults).toBe(true);
    },
  );

  test('uses every setting in a rule', () => {
    const marked = settingsFrom(({ name }) => `<${name}>`);
    const all = JSON.stringify([ruleGroups(marked, 'main'), ruleGroups(marked, 'node-metrics')]);
    expect(settingTable.map(({ name }) => name).filter((name) => !all.includes(`<${name}>`))).toEqual([]);
  });

  test('inserts settings unchanged, without computing with them', () => {
    const settings = alerts.filter(({ name }) => name === 'SnowgaugePeersLow').map(settingsOf);
    expect(settings).toMatchObject([
      expect.arrayContaining(['peersLow', 'peersDropRatio', 'peersWindow', 'sharedTargets', 'sharedRatio']),
    ]);
  });

  test('has a group for each file section', () => {
    expect(alertGroups.every((group) => group.alerts.length > 0)).toBe(true);
  });
});

describe('the cases of the rules', () => {
  const timely = alerts.filter(({ severity }) => severity !== 'none');

  test.each(timely.map(({ name }) => ({ name })))('$name has a positive case and at least two negative ones', ({ name }) => {
    expect(fires.filter(({ alert }) => alert === name).length).toBeGreaterThanOrEqual(1);
    expect(quiet.filter(({ alert }) => alert === name).length).toBeGreaterThanOrEqual(2);
  });

  test('belong to existing alerts and have unique titles', () => {
    const names = new Set<string>(alerts.map(({ name }) => name));
    const cases = [...fires, ...quiet];
    expect(cases.filter(({ alert }) => !names.has(alert))).toEqual([]);
    const titles = cases.map(({ alert, title }) => `${alert} ${title}`);
    expect(titles).toEqual([...new Set(titles)]);
    expect(situations.length).toBeGreaterThanOrEqual(8);
  });

  test('start from a node with every family the rules read, so that no alert is quiet because of a missing family', () => {
    // These have samples only during a failure, or only on other nodes.
    const only = [
      'snowgauge_health_frozen_suspect',
      'snowgauge_check_failure_reason',
      'snowgauge_check_first_failure_timestamp_seconds',
      'snowgauge_upgrade_timestamp_seconds',
      'snowgauge_target_info',
      'snowgauge_target_maintenance_end_timestamp_seconds',
      'avalanche_health_checks_failing',
      'kube_statefulset_replicas',
      'snowgauge_injection_outdated',
      // Families of shards.
      'snowgauge_shard_info',
      'snowgauge_shards',
      'snowgauge_shard_targets',
      'snowgauge_shard_fleet_targets',
      'snowgauge_shard_handover_targets',
      'snowgauge_shard_watch_successful',
    ];
    expect([...new Set(exprs.flatMap(familiesIn))].filter((name) => !base.has(name) && !only.includes(name))).toEqual([]);
  });
});
