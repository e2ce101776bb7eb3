// Values that the chart rejects, and the error messages.

import { expect, test } from 'vitest';
import { expectRefusal, helmTemplate, type Refused, refusalOf, together } from '../support/chart.ts';
import { describeWith } from '../support/tools.ts';

const target = { name: 'node', url: 'http://node:9650' };
const configured = (settings: object) => ({ config: { targets: [{ ...target, ...settings }] } });
const bySchema: readonly Refused[] = [
  {
    error: 'an unknown mode',
    values: { mode: 'fleets' },
    said: ["at '/mode': value must be one of 'fleet', 'sidecar', 'demo'"],
  },
  { error: 'an unknown key', values: { modes: 'fleet' }, said: ["at '': additional properties 'modes' not allowed"] },
  {
    error: 'an unknown nested key',
    values: { image: { tga: '1' } },
    said: ["at '/image': additional properties 'tga' not allowed"],
  },
  { error: 'a digest without its algorithm', values: { image: { digest: 'abc' } }, said: ["at '/image/digest'", 'sha256:'] },
  { error: 'negative replicas', values: { replicas: -1 }, said: ["at '/replicas': minimum: got -1, want 0"] },
  {
    error: 'a label that is not a string',
    values: { podLabels: { a: 1 } },
    said: ["at '/podLabels/a': got number, want string"],
  },
  {
    error: 'an invalid interval',
    values: { monitoring: { interval: 'banana' } },
    said: ["at '/monitoring/interval': 'banana' does not match"],
  },
  {
    error: 'a port out of range',
    values: { service: { port: 70000 } },
    said: ["at '/service/port': maximum: got 70,000, want 65,535"],
  },
  {
    error: 'a tag set that is not a DNS label',
    values: { tagSetServices: [{ tagSet: 'My L1' }] },
    said: ["at '/tagSetServices/0/tagSet': 'My L1'"],
  },
  {
    error: 'a Service without a tag set',
    values: { tagSetServices: [{ port: 1 }] },
    said: ["at '/tagSetServices/0': missing property 'tagSet'"],
  },
  {
    error: 'a variable as stateDir, which the chart must know',
    values: { config: { stateDir: ['$', '{FOLDER}'].join('') } },
    said: ["at '/config/stateDir'", "does not match pattern '^/'"],
  },
  {
    error: 'injection into every pod',
    values: { injection: { podLabels: null } },
    said: ["at '/injection': missing property 'podLabels'"],
  },
  {
    error: 'an unknown alert',
    values: { prometheusRule: { without: ['Nope'] } },
    said: ["at '/prometheusRule/without/0': value must be one of"],
  },
  {
    error: 'an unknown setting of the rules',
    values: { prometheusRule: { settings: { peerLow: 1 } } },
    said: ["additional properties 'peerLow' not allowed"],
  },
  {
    error: 'a threshold that is not a number, and a ratio above one',
    values: { prometheusRule: { settings: { peersLow: 'few', diskLow: 10 } } },
    said: ["at '/prometheusRule/settings/peersLow': 'few'", "at '/prometheusRule/settings/diskLow': maximum: got 10, want 1"],
  },
  {
    error: 'a duration with units in the wrong order',
    values: { prometheusRule: { settings: { scrapeGap: '30s5m', balanceLow: '1d2w' } } },
    said: ["at '/prometheusRule/settings/scrapeGap': '30s5m'", "at '/prometheusRule/settings/balanceLow': '1d2w'"],
  },
  {
    error: 'a window of zero',
    values: { prometheusRule: { settings: { flapWindow: '0h0s' } } },
    said: ["at '/prometheusRule/settings/flapWindow': '0h0s'"],
  },
  {
    error: 'a selector with a closing brace',
    values: { prometheusRule: { settings: { selector: 'a="b"} or x{' } } },
    said: ["at '/prometheusRule/settings/selector'"],
  },
  {
    error: 'an unknown setting of snowgauge',
    values: configured({ tagset: [] }),
    said: ["at '/config/targets/0': additional properties 'tagset' not allowed"],
  },
  {
    error: 'a target without a URL',
    values: { config: { targets: [{ name: 'node' }] } },
    said: ["at '/config/targets/0': missing property 'url'"],
  },
  {
    error: 'a target name that is not a DNS label',
    values: configured({ name: 'Node_1' }),
    said: ["at '/config/targets/0/name': 'Node_1'"],
  },
  {
    error: 'a duration without its unit',
    values: configured({ healthCheckFrequency: '30' }),
    said: ["at '/config/targets/0/healthCheckFrequency': '30' does not match"],
  },
  {
    error: 'a threshold of zero polls',
    values: configured({ readiness: { failAfter: 0 } }),
    said: ["at '/config/targets/0/readiness/failAfter': minimum: got 0, want 1"],
  },
  {
    error: 'an unknown index',
    values: configured({ indexes: ['P/blocks'] }),
    said: ["at '/config/targets/0/indexes/0'", "'P/block'"],
  },
  {
    error: 'a port as a string',
    values: { config: { listen: { port: '9652' } } },
    said: ["at '/config/listen/port': got string, want integer"],
  },
];

const labelled = { kubernetes: { podLabels: { enabled: true } } };
const on = { enabled: true };

const byTemplates: readonly Refused[] = [
  {
    error: 'discovery in mode demo',
    values: { mode: 'demo', config: { discovery: { file: [{ files: ['/a.json'] }] } } },
    said: ['config.discovery: only in mode fleet'],
  },
  {
    error: 'a missing mode, even with targets',
    values: { mode: null, ...configured({}) },
    said: ['mode: set fleet (watches many nodes), sidecar'],
  },
  ...[
    'http://user:password@node',
    'node:9650',
    'ftp://node',
    'http://node?a=password',
    'http://node#password',
    'http://a b:1',
  ].map((url) => ({
    error: `the URL ${url}`,
    values: {
      mode: 'sidecar',
      ...configured({ url }),
      nodeProbes: { startup: on, node: { host: '::', scheme: 'HTTP', port: 9650 } },
    },
    said: [
      'config.targets: the url of node is not an http:// or https:// URL without user, query and fragment: write http://HOST:PORT',
    ],
  })),
  ...(['commonLabels', 'podLabels'] as const).flatMap((place) =>
    ['name', 'instance', 'component'].map((label) => ({
      error: `app.kubernetes.io/${label} in ${place}`,
      values: { [place]: { [`app.kubernetes.io/${label}`]: 'a' } },
      said: [`${place}: app.kubernetes.io/${label} is set by the chart, and Services and monitors select it`],
    })),
  ),
  ...['1.25', '1.28'].map((kubernetes) => ({
    error: `a native sidecar on ${kubernetes}, which would start it as a plain init container`,
    values: { mode: 'sidecar', sidecar: { native: true } },
    kubernetes,
    said: [`sidecar.native: needs Kubernetes 1.29, this is v${kubernetes}`, 'leave it false'],
  })),
  {
    error: 'settings of a node in a fleet',
    values: {
      mode: 'fleet',
      ...configured({}),
      sidecar: { native: 'auto' },
      nodeProbes: { startup: on, liveness: on },
    },
    said: [
      'the values have 3 error(s)',
      'sidecar.native: not in',
      'nodeProbes.startup.enabled: not in',
      'liveness.enabled: not in',
    ],
  },
  {
    error: 'targets besides an existing configuration object',
    values: { ...configured({}), configObject: { existing: 'mine' } },
    said: ['config.targets: not used, because configObject.existing'],
  },
  {
    error: 'two targets with the same name',
    values: { config: { targets: [target, target] } },
    said: ['config.targets: node is a duplicate'],
  },
  {
    error: 'the same port for metrics and probes',
    values: { config: { probes: { port: 9652 } } },
    said: ['config.probes.port: is also the port of config.listen'],
  },
  {
    error: 'the same port for the node and snowgauge',
    values: { node: { port: 9652 } },
    said: ['node.port: 9652 is also a port of snowgauge'],
  },
  {
    error: 'a listener on the loopback address',
    values: { config: { listen: { host: '127.0.0.1' } } },
    said: ['config.listen.host: the kubelet and Prometheus cannot reach it'],
  },
  {
    error: 'injection in mode demo',
    values: { injection: { enabled: true } },
    said: ['injection.enabled: only in mode sidecar'],
  },
  {
    error: 'injection on an unsupported Kubernetes version',
    values: { mode: 'sidecar', injection: { enabled: true } },
    kubernetes: '1.33',
    said: ['injection.enabled: needs Kubernetes 1.34, this is v1.33'],
  },
  {
    error: 'a network policy in mode sidecar',
    values: { mode: 'sidecar', networkPolicy: { enabled: true } },
    said: ['networkPolicy.enabled: not in mode sidecar'],
  },
  {
    error: 'a disruption budget in mode sidecar',
    values: { mode: 'sidecar', podDisruptionBudget: { enabled: true } },
    said: ['podDisruptionBudget.enabled: not in mode sidecar'],
  },
  {
    error: 'tag set Services without pod labels',
    values: { tagSetServices: [{ tagSet: 'a' }] },
    said: ['tagSetServices: need config.kubernetes.podLabels.enabled'],
  },
  {
    error: 'tag set Services in a fleet',
    values: { mode: 'fleet', ...configured({}), tagSetServices: [{ tagSet: 'a' }] },
    said: ['tagSetServices: not in mode fleet'],
  },
  {
    error: 'pod labels in a fleet',
    values: { mode: 'fleet', config: { targets: [target], ...labelled } },
    said: ['config.kubernetes.podLabels.enabled: not in mode fleet'],
  },
  {
    error: 'pod labels with two targets',
    values: { config: { targets: [target, { ...target, name: 'other' }], ...labelled } },
    said: ['config.kubernetes.podLabels.enabled: needs exactly one target'],
  },
  {
    error: 'readiness by an unknown tag set',
    values: { nodeProbes: { readiness: { tagSet: 'alpha' } }, ...configured({ tagSets: [{ name: 'beta', tags: ['b'] }] }) },
    said: ['nodeProbes.readiness.tagSet: unknown tag set alpha, so the node would never be ready: expected one of all, beta'],
  },
  {
    error: 'a Service for an unknown tag set',
    values: {
      tagSetServices: [{ tagSet: 'alpha' }],
      config: { targets: [{ ...target, tagSets: [{ name: 'whole' }] }], ...labelled },
    },
    said: ['tagSetServices: unknown tag set alpha: expected one of whole'],
  },
  {
    error: 'pod labels with injection into other namespaces',
    values: {
      mode: 'sidecar',
      injection: { enabled: true, namespaceSelector: { matchLabels: { a: 'b' } } },
      config: labelled,
    },
    said: ['injection.namespaceSelector: not with config.kubernetes.podLabels.enabled'],
  },
  ...(['ingress', 'httpRoute'] as const).map((name) => ({
    error: `${name} without a Service`,
    values: { service: { enabled: false }, [name]: on },
    said: [`${name}.enabled: needs service.enabled`],
  })),
  { error: 'an HTTPRoute without a Gateway', values: { httpRoute: on }, said: ['httpRoute.parentRefs: set the Gateway'] },
  {
    error: 'a nodePort for a ClusterIP Service',
    values: { service: { nodePort: 30_652 } },
    said: ['service.nodePort: needs service.type: NodePort or LoadBalancer'],
  },
  {
    error: 'a TLS configuration with scheme http',
    values: { monitoring: { scheme: 'http', tlsConfig: { insecureSkipVerify: true } } },
    said: ['monitoring.tlsConfig: not with monitoring.scheme: http'],
  },
  {
    error: 'pod fields in mode sidecar',
    values: { mode: 'sidecar', hostNetwork: true, extraContainers: [{ name: 'a' }], podLabels: { a: 'b' } },
    said: ["extraContainers: not in mode sidecar: the pods are the node's", 'hostNetwork: not in mode', 'podLabels: not in mode'],
  },
  {
    error: 'replicas and a security context in mode sidecar',
    values: { mode: 'sidecar', replicas: 2, terminationGracePeriodSeconds: 5, podSecurityContext: { runAsUser: 7 } },
    said: [
      'the values have 3 error(s)',
      'replicas: not in mode sidecar',
      'terminationGracePeriodSeconds: not',
      'podSecurityContext: not',
    ],
  },
  {
    error: 'probe targets without an address',
    values: { service: { enabled: false }, probe: { targets: ['10.0.0.5:9650'] } },
    said: ['probe.targets: need service.enabled or probe.address'],
  },
  {
    error: 'probe targets with an empty probe.allow',
    values: { probe: { targets: ['10.0.0.5:9650'] } },
    said: [
      'the values have 1 error(s)',
      'probe.targets: config.probe.allow is empty, so every probe would be refused (403): allow the targets there, such as',
    ],
  },
  {
    error: 'probe targets with an empty allow in their module',
    values: {
      config: { probe: { allow: [{ cidr: '10.0.0.0/8' }], modules: [{ name: 'own', allow: [] }] } },
      probe: { targets: ['10.0.0.5:9650'], module: 'own' },
    },
    said: ['probe.targets: the allow of module own in config.probe.modules is empty'],
  },
  {
    error: 'probe targets with an unknown module',
    values: {
      config: { probe: { allow: [{ cidr: '10.0.0.0/8' }], modules: [{ name: 'own' }] } },
      probe: { targets: ['10.0.0.5:9650'], module: 'wno' },
    },
    said: ['probe.module: config.probe.modules has no wno, so every probe would fail (400): add it there, or set another'],
  },
  {
    error: 'pod labels without the admission policy and without consent',
    values: { mode: 'sidecar', config: labelled, admissionPolicy: { enabled: false } },
    said: ['config.kubernetes.podLabels.enabled: admissionPolicy.enabled is false', 'admissionPolicy.podNames'],
  },
  {
    error: 'pod labels on a Kubernetes without admission policies',
    values: { mode: 'sidecar', config: labelled },
    kubernetes: '1.29',
    said: ['Kubernetes v1.29 has no ValidatingAdmissionPolicy'],
  },
  ...[false, true].map((enabled) => ({
    error: `pod labels with the default service account, ${enabled ? 'with' : 'without'} injection`,
    values: { mode: 'sidecar', injection: { enabled }, config: labelled },
    said: ['the values have 1 error(s)', "serviceAccount.name: set it to the service account of the node's pods"],
  })),
  {
    error: 'several invalid values, all reported at once',
    values: { mode: 'sidecar', networkPolicy: { enabled: true }, config: { probes: { port: 9652 } } },
    said: ['the values have 2 error(s)', '- networkPolicy.enabled', '- config.probes.port'],
  },
];

describeWith(['helm'], 'the chart', (helm = '') => {
  test.each(together(bySchema).map((group) => ({ group, errors: group.map(({ error }) => error).join(', ') })))(
    'rejects by its schema: $errors',
    async ({ group }) => {
      const said = await refusalOf(helm, group);
      for (const words of group.flatMap((row) => row.said)) expect(said).toContain(words);
    },
  );

  test.each(byTemplates)('rejects $error', (row) => expectRefusal(helm, row));

  test.each([
    { allowed: 'global and enabled, as of a subchart', values: { global: { anything: { at: 'all' } }, enabled: true } },
    { allowed: 'a scrapeTimeout equal to the interval', values: { monitoring: { interval: '1m30s', scrapeTimeout: '90s' } } },
    { allowed: 'the defaults of every mode', values: { mode: 'sidecar' } },
    {
      allowed: 'pod labels with a named service account',
      values: { mode: 'sidecar', serviceAccount: { name: 'default' }, config: labelled },
    },
    {
      allowed: 'pod labels without the admission policy, with consent',
      values: {
        mode: 'sidecar',
        serviceAccount: { name: 'node' },
        config: labelled,
        admissionPolicy: { enabled: false, tokenMayPatchAnyPodStatus: true },
      },
    },
    { allowed: 'a setting from the environment', values: configured({ staleAfter: ['$', '{STALE_AFTER}'].join('') }) },
    { allowed: 'a threshold as a string', values: { prometheusRule: { enabled: true, settings: { peersLow: '100' } } } },
  ])('accepts $allowed', async ({ values }) => {
    expect(await helmTemplate(helm, { values: { mode: 'demo', ...values } })).toMatchObject({ code: 0, stderr: '' });
  });

  test('rejects a Kubernetes version that is too old', async () => {
    const { code, stderr } = await helmTemplate(helm, { kubernetes: '1.24' });
    expect(code).toBe(1);
    expect(stderr).toContain('chart requires kubeVersion: >=1.25.0-0 <2.0.0-0');
  });
});
