// The `snowgauge rules` command.

import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { targetDefinitions } from '../../src/metrics/families.ts';
import { alerts } from '../../src/rules/alerts.ts';
import { settingTable } from '../../src/rules/settings.ts';
import { sources } from '../../src/sources/sources.ts';
import { typed } from '../support/command.ts';

const run = (args: readonly string[]) => typed(['rules', ...args]);

test('prints a rule file with every alert except the optional one', async () => {
  const { stdout, code } = await run([]);
  for (const { name } of alerts) expect(stdout.includes(`alert: ${name}\n`)).toBe(name !== 'SnowgaugeDisagreesWithNode');
  expect(Object.keys(parse(stdout))).toEqual(['groups']);
  expect(code).toBe(0);
});

test('--set changes thresholds, durations and selectors in the rules', async () => {
  const { stdout } = await run(['--set', 'peersLow=100', '--set', 'peersLowFor=1m', '--set', 'selector=job="x"']);
  expect(stdout).toContain('snowgauge_network_connected_peers{job="x"}');
  expect(stdout).toContain('snowgauge:peers < 100');
  expect(stdout).toContain('for: 1m');
});

test('--set grafana and runbooks changes the links of every alert', async () => {
  const { stdout } = await run(['--set', 'grafana=https://grafana.example', '--set', 'runbooks=https://wiki.example/runbooks']);
  for (const { name, dashboard } of alerts.filter((alert) => alert.name !== 'SnowgaugeDisagreesWithNode')) {
    expect(stdout).toContain(`runbook_url: https://wiki.example/runbooks/${name}.md\n`);
    expect(stdout).toMatch(new RegExp(`dashboard_url: "?https://grafana\\.example/d/${dashboard.uid}[?].*var-cluster=`));
  }
});

test('--without omits an alert', async () => {
  expect((await run(['--without', 'SnowgaugeAbsent'])).stdout).not.toContain('SnowgaugeAbsent');
});

test('--part node-metrics prints the optional alert only', async () => {
  const { stdout } = await run(['--part', 'node-metrics']);
  expect(stdout.match(/alert: \w+/g)).toEqual(['alert: SnowgaugeDisagreesWithNode']);
});

test('--kubernetes prints the same groups as a PrometheusRule', async () => {
  const { stdout } = await run(['--kubernetes', 'mine']);
  expect(parse(stdout)).toMatchObject({
    apiVersion: 'monitoring.coreos.com/v1',
    kind: 'PrometheusRule',
    metadata: { name: 'mine' },
    spec: { groups: parse((await run([])).stdout).groups },
  });
});

test.each(['', 'Mine', 'a_b', '-a', 'a..b', 'a'.repeat(254)])('--kubernetes rejects the invalid object name %j', async (name) => {
  expect(await run(['--kubernetes', name])).toEqual({
    stdout: '',
    stderr: `snowgauge rules: --kubernetes: ${JSON.stringify(name)} is not a name of a Kubernetes object, such as snowgauge\n`,
    code: 2,
  });
});

test.each([
  {
    args: ['--alertmanager', '--kubernetes', 'mine'],
    says: "option '--alertmanager' cannot be used with option '--kubernetes <name>'",
  },
  { args: ['--alertmanager', '--part', 'main'], says: "option '--alertmanager' cannot be used with option '--part <part>'" },
  {
    args: ['--settings', '--without', 'SnowgaugeAbsent'],
    says: "option '--settings' cannot be used with option '--without <alert>'",
  },
  { args: ['--settings', '--alertmanager'], says: 'cannot be used with option' },
])('rejects options that would be ignored: $args', async ({ args, says }) => {
  expect(await run(args)).toMatchObject({ stdout: '', stderr: expect.stringContaining(says), code: 2 });
});

test('--alertmanager prints the shipped configuration', async () => {
  const shipped = await readFile(new URL('../../deploy/prometheus/alertmanager.yml', import.meta.url), 'utf8');
  expect(await run(['--alertmanager'])).toEqual({ stdout: shipped, stderr: '', code: 0 });
});

test('--alertmanager inhibits by the identity labels and groups by the labels wider than a namespace', async () => {
  const { stdout } = await run([
    '--alertmanager',
    '--set=identity=k8s_cluster, namespace, pod, target, team',
    '--set=fleet=k8s_cluster, namespace',
  ]);
  const { route, inhibit_rules } = parse(stdout);
  for (const { equal } of inhibit_rules) expect(equal.slice(0, 5)).toEqual(['k8s_cluster', 'namespace', 'pod', 'target', 'team']);
  expect(route.routes[1].group_by).toEqual(['k8s_cluster', 'network', 'scope']);
});

test('rejects network as an identity label, because alerts would reset when it becomes known', async () => {
  expect(await run(['--set', 'identity=cluster, network, target'])).toMatchObject({
    stderr: expect.stringContaining('identity: network changes when it becomes known'),
    code: 2,
  });
});

test('rejects an identity label of which a target has several values', async () => {
  const own = new Set(targetDefinitions(sources).flatMap(({ labels }) => labels));
  expect(own.size).toBeGreaterThan(15);
  for (const name of [...own].filter((label) => label !== 'target' && label !== 'network'))
    expect(await run(['--set', `identity=cluster, namespace, target, ${name}`])).toMatchObject({
      stderr: expect.stringContaining(`identity: ${name} has several values for one target, or changes: leave it out`),
      code: 2,
    });
});

test('rejects a fleet label that is not in the identity', async () => {
  expect(await run(['--set', 'fleet=cluster, site'])).toMatchObject({
    stdout: '',
    stderr: expect.stringContaining('fleet: site is not in identity'),
    code: 2,
  });
});

test('--settings prints every setting with the given values', async () => {
  const { stdout } = await run(['--settings', '--set', 'peersLow=77', '--set', 'balanceLow=3w']);
  for (const { name } of settingTable) expect(stdout).toMatch(new RegExp(`^${name} `, 'm'));
  expect(stdout).toMatch(/^peersLow +77$/m);
  expect(stdout).toMatch(/^balanceLow +3w$/m);
  expect(stdout).toMatch(/^balanceVeryLow +3d$/m);
});

test.each([
  { given: '2w1d', seconds: 1_296_000 },
  { given: '1y', seconds: 31_536_000 },
  { given: '90m30s', seconds: 5430 },
  { given: '0s', seconds: 0 },
  { given: '1000.5', seconds: 1000.5 },
])('a threshold of $given is converted to seconds in the expressions', async ({ given, seconds }) => {
  const [{ stdout }, { stdout: expected }] = [
    await run(['--set', `balanceLow=${given}`]),
    await run(['--set', `balanceLow=${seconds}`]),
  ];
  expect(stdout).toBe(expected);
  expect(stdout).toContain(`< ${seconds}`);
});

test.each([
  { given: 'peerLow=3', said: 'unknown setting "peerLow": did you mean peersLow?' },
  { given: 'peersLow', said: 'peersLow: write NAME=VALUE, such as peersLow=20' },
  { given: 'peersLow=many', said: 'peersLow: "many" is not a number, such as 20 or 5e10' },
  { given: 'stakeLow=85', said: 'stakeLow: "85" is not a fraction from 0 to 1, such as 0.85' },
  { given: 'targetDownFor=5', said: `targetDownFor: "5" is not a duration in Prometheus' spelling, such as 0s, 15m or 1d` },
  {
    given: 'balanceLow=2x',
    said: `balanceLow: "2x" is not a duration of whole seconds, such as 1h or 14d, or a number of seconds`,
  },
  { given: 'flapWindow=0m', said: `flapWindow: "0m" is not a duration above 0 in Prometheus' spelling, such as 15m or 1d` },
  { given: 'fleet=', said: 'fleet: "" is not a list of label names, such as cluster, namespace' },
  {
    given: 'selector=job',
    said: 'selector: "job" is not a list of label matchers, such as job="snowgauge", with \\\\ for a backslash',
  },
  {
    given: 'selector=job=~"a\\.b"',
    said: 'selector: "job=~\\"a\\\\.b\\"" is not a list of label matchers, such as job="snowgauge", with \\\\ for a backslash',
  },
  {
    given: 'nodeChecks=a(b',
    said: 'nodeChecks: "a(b" is not an RE2 expression: missing closing ); write a special character in brackets, such as [(]',
  },
  {
    given: 'sidecarUrls=a)(b',
    said: 'sidecarUrls: "a)(b" is not an RE2 expression: unexpected ); write a special character in brackets, such as [(]',
  },
  {
    given: 'expectedStatefulSets=*',
    said: 'expectedStatefulSets: "*" is not an RE2 expression: missing argument to repetition operator; write a special character in brackets, such as [(]',
  },
  {
    given: 'nodeSelector=a="(", b!~"c\\\\.[", d=~"e"',
    said: 'nodeSelector: "c\\\\.[" is not an RE2 expression: missing closing ]; write a special character in brackets, such as [(]',
  },
  ...['\\x28', '\\050', '\\u0028', '\\U00000028'].map((written) => ({
    given: `selector=job=~"${written}"`,
    said: 'selector: "(" is not an RE2 expression: missing closing ); write a special character in brackets, such as [(]',
  })),
  ...['\\xff', '\\200', '\\udfff', '\\U0000d800', '\\U00110000'].map((written) => ({
    given: `selector=job="${written}"`,
    said: `selector: ${JSON.stringify(`job="${written}"`)} is not a list of label matchers, such as job="snowgauge", with \\\\ for a backslash`,
  })),
  {
    given: 'nodeChecks=a"} or up',
    said: 'nodeChecks: "a\\"} or up" is not a regular expression without quotes, backslashes and blanks',
  },
  { given: 'runbooks={{ x }}', said: 'runbooks: "{{ x }}" is not the beginning of a URL, without a slash at its end' },
  { given: 'grafana=https://g/', said: 'grafana: "https://g/" is not the beginning of a URL, without a slash at its end' },
])('--set $given is rejected with exit code 2', async ({ given, said }) => {
  expect(await run(['--set', given])).toEqual({ stdout: '', stderr: `snowgauge rules: ${said}\n`, code: 2 });
});

test.each([
  'selector=job=~"(?i)snow\\\\.gauge", a="(", b="=~\\"("',
  'selector=job=~"[\\a-\\r]\\u00e9\\x5c(|\\U0001f600|\\U0010FFFF"',
  'nodeMatch=pod!~"\\x41|\\n\\""',
  'nodeChecks=(?P<a>b)',
])('--set %s is accepted, as by Prometheus', async (given) => {
  expect(await run(['--set', given])).toMatchObject({ stderr: '', code: 0 });
});

test.each([
  { args: ['--set', 'foo=1'], said: `unknown setting "foo": expected one of ${settingTable[0]?.name}, ` },
  { args: ['--without', 'Nope'], said: `unknown alert "Nope": expected one of ${alerts[0]?.name}, ` },
])('$args is rejected with the valid names', async ({ args, said }) => {
  expect(await run(args)).toMatchObject({ stdout: '', stderr: expect.stringContaining(said), code: 2 });
});

test('prints all errors at once', async () => {
  const { stderr, code } = await run(['--set', 'a=1', '--set', 'peersLow=x', '--without', 'SnowgaugeAbsnt']);
  expect(stderr.trim().split('\n')).toHaveLength(3);
  expect(stderr).toContain('snowgauge rules: unknown alert "SnowgaugeAbsnt": did you mean SnowgaugeAbsent?');
  expect(code).toBe(2);
});
