// Values for which the chart would render objects that Kubernetes rejects, or pods that never start.

import { expect, test } from 'vitest';
import { nodeUrlFault } from '../../src/protocol/node-url.ts';
import { helmTemplate, refusalOf } from '../support/chart.ts';
import { describeWith } from '../support/tools.ts';

/** A reference to an environment variable, in the syntax of the configuration. */
const variable = (name: string): string => ['$', `{${name}}`].join('');

const long = 'l'.repeat(40);
const labelled = { kubernetes: { podLabels: { enabled: true } } };
const withTagSets = (...names: readonly string[]): object => ({
  targets: [{ name: 'node', url: 'http://127.0.0.1:9650', tagSets: names.map((name) => ({ name, tags: [name] })) }],
  ...labelled,
});

const refused: readonly { readonly error: string; readonly values: object; readonly said: string; readonly release?: string }[] =
  [
    {
      error: 'a URL that is a variable',
      values: { mode: 'fleet', config: { targets: [{ name: 'node', url: variable('NODE_URL') }] } },
      said: `config.targets: the url of node begins with a variable, and the chart must know its scheme: write it as http://${variable('NODE_HOST')}:9650, or the whole configuration in configObject.existing`,
    },
    {
      error: 'a network policy for a port that is a variable',
      values: {
        mode: 'fleet',
        config: { targets: [{ name: 'node', url: `http://10.0.0.1:${variable('NODE_PORT')}/` }] },
        networkPolicy: { enabled: true },
      },
      said: 'networkPolicy.nodes.ports: list the ports of the nodes: the url of node has a variable where its port would be',
    },
    ...[`https://inventory:${variable('PORT')}/sd`, `${variable('INVENTORY')}/sd`].map((url) => ({
      error: `a network policy for a source of targets at ${url}`,
      values: { mode: 'fleet', config: { discovery: { http: [{ url }] } }, networkPolicy: { enabled: true } },
      said: 'networkPolicy.nodes.ports: list the ports of the nodes and of config.discovery.http: the url of config.discovery.http[0] has a variable where its port would be',
    })),
    {
      error: 'a network policy for the ports of a configuration that the chart does not read',
      values: { mode: 'fleet', configObject: { existing: 'a' }, networkPolicy: { enabled: true } },
      said: 'networkPolicy.nodes.ports: list the ports of the nodes: the chart does not read those in configObject.existing',
    },
    {
      error: 'a Service of a tag set with a name that is too long',
      release: 'r'.repeat(53),
      values: { tagSetServices: [{ tagSet: long }], config: withTagSets(long) },
      said: `tagSetServices: the Service of tag set ${long} would be named ${'r'.repeat(52)}-${long}, and a name has at most 63 characters: set its name`,
    },
    {
      error: 'two Services of one tag set',
      values: { tagSetServices: [{ tagSet: 'a' }, { tagSet: 'a', port: 80 }], config: withTagSets('a') },
      said: 'tagSetServices: two Services are named test-snowgauge-a: set the name of one',
    },
    {
      error: "a Service of a tag set with the same name as the node's",
      values: { tagSetServices: [{ tagSet: 'node' }], config: withTagSets('node') },
      said: 'tagSetServices: two Services are named test-snowgauge-node: set the name of one',
    },
    {
      error: 'stateDir at the mount path of the configuration',
      values: { config: { stateDir: '/etc/snowgauge' } },
      said: 'the configuration and config.stateDir: both are mounted at /etc/snowgauge: use another directory for one',
    },
    {
      error: 'stateDir at the mount path of the configuration, with a trailing slash',
      values: { mode: 'sidecar', config: { stateDir: '/etc/snowgauge/' } },
      said: 'the configuration and config.stateDir: both are mounted at /etc/snowgauge:',
    },
    {
      error: 'stateDir at the mount path of the web configuration',
      values: { config: { stateDir: '/etc/snowgauge-web' }, webConfig: { existingSecret: 'a' } },
      said: 'config.stateDir and the web configuration: both are mounted at /etc/snowgauge-web:',
    },
    {
      error: 'an extra volume mount at stateDir',
      values: {
        config: { stateDir: '/state' },
        extraVolumes: [{ name: 'own', emptyDir: {} }],
        extraVolumeMounts: [{ name: 'own', mountPath: '/state' }],
      },
      said: 'config.stateDir and extraVolumeMounts: both are mounted at /state:',
    },
    {
      error: 'a state volume without stateDir',
      values: { stateVolume: { persistentVolumeClaim: { claimName: 'a' } } },
      said: 'stateVolume: needs config.stateDir, the directory where it is mounted, such as /state',
    },
    {
      error: 'a service account in mode sidecar',
      values: { mode: 'sidecar', serviceAccount: { create: true } },
      said: "serviceAccount.create: not in mode sidecar: the pods are the node's",
    },
    {
      error: 'readiness by tag set with injection',
      values: { mode: 'sidecar', injection: { enabled: true }, nodeProbes: { readiness: { tagSet: 'all' } } },
      said: 'nodeProbes.readiness.tagSet: not with injection.enabled',
    },
    {
      error: 'readiness by tag set in a fleet',
      values: { mode: 'fleet', nodeProbes: { readiness: { tagSet: 'all' } } },
      said: 'nodeProbes.readiness.tagSet: not in mode fleet',
    },
    {
      error: 'a ServiceMonitor with injection into other namespaces',
      values: {
        mode: 'sidecar',
        injection: { enabled: true, namespaceSelector: { matchLabels: { a: 'b' } } },
        monitoring: { kind: 'ServiceMonitor' },
      },
      said: 'monitoring.kind: the Service selects only pods of its own namespace, and injection.namespaceSelector may select others: use PodMonitor',
    },
    {
      error: 'a variable that the chart also sets',
      values: { mode: 'fleet', extraEnv: [{ name: 'SNOWGAUGE_OWN_HOSTS', value: 'a.example.com' }] },
      said: 'extraEnv: SNOWGAUGE_OWN_HOSTS is a duplicate',
    },
  ];

const bySchema: readonly { readonly error: string; readonly values: object; readonly said: string }[] = [
  {
    error: 'a liveness probe with successThreshold 2',
    values: { probes: { liveness: { successThreshold: 2 } } },
    said: "at '/probes/liveness': additional properties 'successThreshold' not allowed",
  },
  {
    error: 'an Ingress for the host *',
    values: { ingress: { enabled: true, hosts: ['*'] } },
    said: "at '/ingress/hosts/0': '*' does not match",
  },
  {
    error: 'an HTTPRoute hostname with a scheme',
    values: { httpRoute: { enabled: true, hostnames: ['https://a.example.com'] } },
    said: "at '/httpRoute/hostnames/0': 'https://a.example.com' does not match",
  },
  {
    error: 'an IP address instead of a CIDR',
    values: { networkPolicy: { kubeletCidrs: ['10.0.0.1'] } },
    said: "at '/networkPolicy/kubeletCidrs/0': '10.0.0.1' does not match",
  },
  {
    error: 'a tag set Service with an invalid name',
    values: { tagSetServices: [{ tagSet: 'a', name: 'a.b' }] },
    said: "at '/tagSetServices/0/name': 'a.b' does not match",
  },
];

const allowed: readonly { readonly allowed: string; readonly values: object; readonly release?: string }[] = [
  {
    allowed: 'a variable as the host of a URL',
    values: {
      mode: 'fleet',
      config: { targets: [{ name: 'node', url: `http://${variable('NODE_HOST')}:9650/${variable('KEY')}` }] },
      networkPolicy: { enabled: true },
    },
  },
  {
    allowed: 'a variable as the port of a URL if the ports are listed',
    values: {
      mode: 'fleet',
      config: { targets: [{ name: 'node', url: `http://10.0.0.1:${variable('NODE_PORT')}` }] },
      networkPolicy: { enabled: true, nodes: { ports: [9650] } },
    },
  },
  {
    allowed: 'a Service of a long tag set with its own name',
    release: 'r'.repeat(53),
    values: { tagSetServices: [{ tagSet: long, name: 'short' }], config: withTagSets(long) },
  },
  {
    allowed: 'valid hosts, CIDRs and a readiness probe',
    values: {
      mode: 'fleet',
      probes: { readiness: { successThreshold: 2 } },
      ingress: { enabled: true, hosts: ['a.example.com', '*.example.com'] },
      networkPolicy: { enabled: true, kubeletCidrs: ['10.0.0.0/8', 'fd00::/8'], apiServerCidrs: ['::ffff:10.0.0.1/128'] },
    },
  },
  {
    allowed: 'a volume below the directory of the configuration',
    values: {
      config: { stateDir: '/etc/snowgauge/state' },
      extraVolumes: [{ name: 'own', emptyDir: {} }],
      extraVolumeMounts: [{ name: 'own', mountPath: '/etc/snowgauge/own' }],
    },
  },
];

const urls = [
  'http://127.0.0.1:9650/ext/health',
  'http://h/ext',
  'http://h:1/ext/health/readiness',
  'https://h:9650/KEY//ext/info/',
  'http://h/p/ext/index/X/block',
  'https://h/ext/bc/C/KEY',
  'http://h/ext/P',
  'http://h/ext/of-a-proxy/ext/admin',
  'http://h/KEY',
  'http://h/external/health',
  'http://h/ext/of-a-proxy/x',
  'http://h/next/health',
];

describeWith(['helm'], 'the chart', (helm = '') => {
  test.each(refused)('rejects $error', async ({ values, said, release = 'test' }) => {
    const { code, stderr } = await helmTemplate(helm, { release, values: { mode: 'demo', ...values } });
    expect(stderr).toContain(said);
    expect(stderr).toContain('the values have 1 error(s)');
    expect(code).toBe(1);
  });

  test.each(['sidecar', 'fleet', 'demo'])(
    'in mode %s rejects an API path in a URL with the message of snowgauge',
    async (mode) => {
      const config = { targets: urls.map((url, at) => ({ name: `t${at}`, url })), probe: { allow: [{ host: 'h' }] } };
      const probe = { targets: urls.map((url) => url.replace('http://', '')) };
      const { stderr } = await helmTemplate(helm, { values: { mode, config, probe } });
      const faults = urls.map((url) => nodeUrlFault(url));
      const said = (start: (at: number) => string) => faults.flatMap((fault, at) => (fault ? [`- ${start(at)} ${fault}`] : []));
      expect(stderr.split('\n').filter((line) => line.startsWith('- '))).toEqual([
        ...said((at) => `config.targets: the url of t${at}`),
        ...said((at) => `probe.targets[${at}]:`),
      ]);
      expect(stderr).not.toContain('KEY');
    },
  );

  test('rejects by its schema what Kubernetes would reject', async () => {
    const stderr = await refusalOf(helm, bySchema);
    for (const { said } of bySchema) expect(stderr).toContain(said);
  });

  test.each(allowed)('accepts $allowed', async ({ values, release = 'test' }) => {
    expect(await helmTemplate(helm, { release, values: { mode: 'demo', ...values } })).toMatchObject({ code: 0, stderr: '' });
  });
});
