// Invalid values for fleets, monitors and the web configuration.

import { expect, test } from 'vitest';
import { expectRefusal, helmTemplate, type Refused, refusalOf, together } from '../support/chart.ts';
import { describeWith } from '../support/tools.ts';

const bySchema: readonly Refused[] = [
  {
    error: 'an unknown key of the web configuration',
    values: { webConfig: { config: { tls_server_config: { certificate: 'a' } } } },
    said: ["at '/webConfig/config/tls_server_config': additional properties 'certificate' not allowed"],
  },
  {
    error: 'an unknown cipher suite',
    values: { webConfig: { config: { tls_server_config: { cipher_suites: ['AES128-SHA'] } } } },
    said: ["at '/webConfig/config/tls_server_config/cipher_suites/0': value must be one of"],
  },
  {
    error: 'an unknown kind of monitor',
    values: { monitoring: { kind: 'All' } },
    said: ["at '/monitoring/kind': value must be one of ''"],
  },
  { error: 'zero shards', values: { shards: 0 }, said: ["at '/shards': minimum: got 0, want 1"] },
  {
    error: 'an update strategy of Deployments',
    values: { updateStrategy: { rollingUpdate: { maxSurge: 1 } } },
    said: ["at '/updateStrategy/rollingUpdate': additional properties 'maxSurge' not allowed"],
  },
];

const byTemplates: readonly Refused[] = [
  {
    error: 'rules whose identity or fleet is not one of a target',
    values: { prometheusRule: { enabled: true, settings: { identity: 'cluster, target, node_id', fleet: 'cluster, site' } } },
    said: [
      'prometheusRule.settings.identity: node_id has several values for one target, or changes: leave it out',
      'prometheusRule.settings.fleet: site is not in identity',
    ],
  },
  {
    error: 'a scrapeTimeout above the interval',
    values: { monitoring: { interval: '1m500ms', scrapeTimeout: '61s' } },
    said: ['monitoring.scrapeTimeout: 61s is above monitoring.interval (1m500ms'],
  },
  {
    error: 'environment variables for settings that the chart must know',
    values: { extraEnv: ['LISTEN_PORT', 'STATE_DIR'].map((name) => ({ name: `SNOWGAUGE_${name}`, value: '1' })) },
    said: [
      'the values have 2 error(s)',
      'extraEnv: the chart does not see SNOWGAUGE_LISTEN_PORT, which replaces config.listen.port: set that',
      'SNOWGAUGE_STATE_DIR, which replaces config.stateDir: set that',
    ],
  },
  ...['ServiceMonitor', 'ScrapeConfig'].map((kind) => ({
    error: `a ${kind} without a Service`,
    values: { mode: 'fleet', service: { enabled: false }, monitoring: { kind } },
    said: ['the values have 1 error(s)', `monitoring.kind: ${kind} needs service.enabled`],
  })),
  ...[
    { values: { shards: 2 }, said: 'shards: only in mode fleet' },
    { values: { highAvailability: true }, said: 'highAvailability: only in mode fleet' },
    { values: { mode: 'fleet', replicas: 2 }, said: 'replicas: only in mode demo: use shards' },
    {
      values: { mode: 'fleet', config: { discovery: { kubernetes: [{ namespaces: [['$', '{ELSEWHERE}'].join('')] }] } } },
      said: 'config.discovery.kubernetes: write the name instead of $',
    },
    ...['*', ''].map((namespace) => ({
      values: { mode: 'fleet', config: { discovery: { kubernetes: [{ namespaces: [namespace] }] } } },
      said: `config.discovery.kubernetes: "${namespace}" is not the name of a namespace: list each by its name`,
    })),
    ...[2, null].map((shards) => ({
      values: { mode: 'fleet', shards, config: { listen: { externalAddress: 'a:9652' } } },
      said: 'config.listen.externalAddress: each shard needs its own',
    })),
    {
      values: { mode: 'fleet', highAvailability: true, config: { listen: { externalAddress: 'a-{shard}:9652' } } },
      said: 'config.listen.externalAddress: both replicas of a shard would have the same',
    },
    ...[
      { mode: 'fleet', shards: 2 },
      { mode: 'fleet', shards: null },
      { mode: 'fleet', highAvailability: true },
      { replicas: 2 },
    ].map((several) => ({
      values: { ...several, stateVolume: { persistentVolumeClaim: { claimName: 'a' } } },
      said: 'stateVolume.persistentVolumeClaim: the pods would share one claim',
    })),
    { values: { monitoring: { kind: 'ScrapeConfig' } }, said: 'monitoring.kind: ScrapeConfig is for mode fleet' },
    ...['jobLabel', 'podTargetLabels'].map((name) => ({
      values: { mode: 'fleet', monitoring: { kind: 'ScrapeConfig', [name]: name === 'jobLabel' ? 'a' : ['a'] } },
      said: `monitoring.${name}: only with monitoring.kind: ServiceMonitor or PodMonitor`,
    })),
    {
      values: { monitoring: { kind: 'PodMonitor', targetLabels: ['a'] } },
      said: 'monitoring.targetLabels: only with monitoring.kind: ServiceMonitor',
    },
  ].map(({ values, said }) => ({ error: JSON.stringify(values), values, said: [said] })),
  ...[
    {
      web: { config: { tls_server_config: { cert_file: 'tls.crt', client_ca_file: '/ca.crt' } } },
      said: ['the values have 1 error(s)', 'webConfig.config.tls_server_config.cert_file: tls.crt is not next to the file'],
    },
    {
      web: { config: { tls_server_config: { cert: 'a', client_auth_type: 'RequireAndVerifyClientCert' } } },
      said: ['the values have 1 error(s)', 'monitoring.tlsConfig.cert: webConfig.config requires client certificates'],
    },
    {
      web: { config: { tls_server_config: { cert: 'a' } } },
      monitoring: { scheme: 'http' },
      said: ['the values have 1 error(s)', 'monitoring.scheme: webConfig.config has tls_server_config'],
    },
    {
      web: { config: { basic_auth_users: { a: 'b' } } },
      said: ['the values have 1 error(s)', 'monitoring.basicAuth: webConfig.config has basic_auth_users'],
    },
    {
      web: { existingSecret: 'a' },
      extraEnv: [{ name: 'SNOWGAUGE_WEB_CONFIG_FILE', value: '/a' }],
      said: ['extraEnv: SNOWGAUGE_WEB_CONFIG_FILE and webConfig both name'],
    },
    {
      web: { existingSecret: 'a' },
      mode: 'sidecar',
      injection: { enabled: true, namespaceSelector: { matchLabels: { a: 'b' } } },
      said: ['webConfig: not with injection.namespaceSelector'],
    },
  ].map(({ web, said, monitoring, ...values }) => ({
    error: `the web configuration ${JSON.stringify(web)}`,
    values: { webConfig: web, monitoring: { kind: 'PodMonitor', ...monitoring }, ...values },
    said,
  })),
];

const allowed: readonly { readonly allowed: string; readonly values: object }[] = [
  {
    allowed: 'every key of a web configuration',
    values: {
      webConfig: {
        config: {
          tls_server_config: { cert: 'a', key: 'b', min_version: 'TLS13', prefer_server_cipher_suites: false },
          http_server_config: { http2: false, headers: { 'X-Frame-Options': 'deny' } },
          rate_limit: { interval: '1s', burst: 5 },
        },
      },
    },
  },
  {
    allowed: 'a claim with a single pod',
    values: { mode: 'fleet', config: { stateDir: '/state' }, stateVolume: { persistentVolumeClaim: { claimName: 'a' } } },
  },
  { allowed: 'a fleet with default values', values: { mode: 'fleet' } },
  {
    allowed: 'an external address per shard',
    values: { mode: 'fleet', shards: 2, config: { listen: { externalAddress: 'a-{shard}:9652' } } },
  },
  {
    allowed: 'basic auth without a monitor',
    values: { webConfig: { config: { basic_auth_users: { a: 'b' }, tls_server_config: { cert_file: '/a' } } } },
  },
];

describeWith(['helm'], 'the chart, for fleets and monitors,', (helm = '') => {
  test.each(together(bySchema).map((group) => ({ group })))('rejects by its schema: $group', async ({ group }) => {
    const stderr = await refusalOf(helm, group);
    for (const words of group.flatMap(({ said }) => said)) expect(stderr).toContain(words);
  });

  test.each(byTemplates)('rejects $error', (row) => expectRefusal(helm, row));

  test.each(allowed)('accepts $allowed', async ({ values }) => {
    expect(await helmTemplate(helm, { values: { mode: 'demo', ...values } })).toMatchObject({ code: 0, stderr: '' });
  });
});
