// Values that the chart refuses, and what it says: where the error is, and what it is.

import { expect, test } from 'vitest';
import { expectRefusal, helmTemplate, type Refused, refusalOf, together } from '../support/chart.ts';
import { describeWith } from '../support/tools.ts';

const target = { name: 'node', url: 'http://node:9650' };
const configured = (settings: object) => ({ config: { targets: [{ ...target, ...settings }] } });
const bySchema: readonly Refused[] = [
  {
    error: 'a mode that there is not',
    values: { mode: 'fleets' },
    said: ["at '/mode': value must be one of 'fleet', 'sidecar', 'demo'"],
  },
  { error: 'an unknown key', values: { modes: 'fleet' }, said: ["at '': additional properties 'modes' not allowed"] },
  {
    error: 'an unknown key within',
    values: { image: { tga: '1' } },
    said: ["at '/image': additional properties 'tga' not allowed"],
  },
  { error: 'a digest without its kind', values: { image: { digest: 'abc' } }, said: ["at '/image/digest'", 'sha256:'] },
  { error: 'fewer pods than none', values: { replicas: -1 }, said: ["at '/replicas': minimum: got -1, want 0"] },
  { error: 'a label that is no text', values: { podLabels: { a: 1 } }, said: ["at '/podLabels/a': got number, want string"] },
  {
    error: 'an interval that is none',
    values: { monitoring: { interval: 'banana' } },
    said: ["at '/monitoring/interval': 'banana' does not match"],
  },
  {
    error: 'a port out of range',
    values: { service: { port: 70000 } },
    said: ["at '/service/port': maximum: got 70,000, want 65,535"],
  },
  {
    error: 'a tag set that is no DNS label',
    values: { tagSetServices: [{ tagSet: 'My L1' }] },
    said: ["at '/tagSetServices/0/tagSet': 'My L1'"],
  },
  {
    error: 'a Service for no tag set',
    values: { tagSetServices: [{ port: 1 }] },
    said: ["at '/tagSetServices/0': missing property 'tagSet'"],
  },
  {
    error: 'a folder for a volume that only snowgauge could read',
    values: { config: { stateDir: ['$', '{FOLDER}'].join('') } },
    said: ["at '/config/stateDir'", "does not match pattern '^/'"],
  },
  {
    error: 'an injection into every pod',
    values: { injection: { podLabels: null } },
    said: ["at '/injection': missing property 'podLabels'"],
  },
  {
    error: 'an alert that there is not',
    values: { prometheusRule: { without: ['Nope'] } },
    said: ["at '/prometheusRule/without/0': value must be one of"],
  },
  {
    error: 'a setting of the rules that there is not',
    values: { prometheusRule: { settings: { peerLow: 1 } } },
    said: ["additional properties 'peerLow' not allowed"],
  },
  {
    error: 'a threshold that is no number',
    values: { prometheusRule: { settings: { peersLow: 'few' } } },
    said: ["at '/prometheusRule/settings/peersLow': 'few'"],
  },
  {
    error: 'a ratio above one',
    values: { prometheusRule: { settings: { diskLow: 10 } } },
    said: ["at '/prometheusRule/settings/diskLow': maximum: got 10, want 1"],
  },
  {
    error: 'a duration whose units are not in the order of Prometheus',
    values: { prometheusRule: { settings: { scrapeGap: '30s5m', balanceLow: '1d2w' } } },
    said: ["at '/prometheusRule/settings/scrapeGap': '30s5m'", "at '/prometheusRule/settings/balanceLow': '1d2w'"],
  },
  {
    error: 'a selector that would end its braces',
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
    error: 'a target whose name is no DNS label',
    values: configured({ name: 'Node_1' }),
    said: ["at '/config/targets/0/name': 'Node_1'"],
  },
  {
    error: 'a duration without its unit',
    values: configured({ healthCheckFrequency: '30' }),
    said: ["at '/config/targets/0/healthCheckFrequency': '30' does not match"],
  },
  {
    error: 'a threshold of no rounds',
    values: configured({ readiness: { failAfter: 0 } }),
    said: ["at '/config/targets/0/readiness/failAfter': minimum: got 0, want 1"],
  },
  {
    error: 'an index that there is not',
    values: configured({ indexes: ['P/blocks'] }),
    said: ["at '/config/targets/0/indexes/0'", "'P/block'"],
  },
  {
    error: 'a port as a text',
    values: { config: { listen: { port: '9652' } } },
    said: ["at '/config/listen/port': got string, want integer"],
  },
];

const labelled = { kubernetes: { podLabels: { enabled: true } } };
const on = { enabled: true };

const byTemplates: readonly Refused[] = [
  {
    error: 'discovery beside a node',
    values: { mode: 'demo', config: { discovery: { file: [{ files: ['/a.json'] }] } } },
    said: ['config.discovery: only in mode fleet'],
  },
  {
    error: 'no mode at all, with or without nodes',
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
    said: ['config.targets: the url of node is not an http:// or https:// URL without user, query and fragment'],
  })),
  ...(['commonLabels', 'podLabels'] as const).flatMap((place) =>
    ['name', 'instance', 'component'].map((label) => ({
      error: `app.kubernetes.io/${label} in ${place}`,
      values: { [place]: { [`app.kubernetes.io/${label}`]: 'a' } },
      said: [`${place}: app.kubernetes.io/${label} is set by the chart, and Services and monitors select it`],
    })),
  ),
  ...['1.25', '1.28'].map((kubernetes) => ({
    error: `a native sidecar on ${kubernetes}, whose API server would make an init container of it`,
    values: { mode: 'sidecar', sidecar: { native: true } },
    kubernetes,
    said: [`sidecar.native: needs Kubernetes 1.29, this is v${kubernetes}`, 'leave it false'],
  })),
  {
    error: 'what a fleet has no node for',
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
    error: 'targets here and elsewhere',
    values: { ...configured({}), configObject: { existing: 'mine' } },
    said: ['config.targets: not used, because configObject.existing'],
  },
  {
    error: 'two targets of one name',
    values: { config: { targets: [target, target] } },
    said: ['config.targets: node is a duplicate'],
  },
  {
    error: 'one port for two listeners',
    values: { config: { probes: { port: 9652 } } },
    said: ['config.probes.port: is also the port of config.listen'],
  },
  {
    error: 'one port for node and snowgauge',
    values: { node: { port: 9652 } },
    said: ['node.port: 9652 is also a port of snowgauge'],
  },
  {
    error: 'an address that nobody reaches',
    values: { config: { listen: { host: '127.0.0.1' } } },
    said: ['config.listen.host: the kubelet and Prometheus cannot reach it'],
  },
  {
    error: 'injection beside a node of our own',
    values: { injection: { enabled: true } },
    said: ['injection.enabled: only in mode sidecar'],
  },
  {
    error: 'injection where Kubernetes has none',
    values: { mode: 'sidecar', injection: { enabled: true } },
    kubernetes: '1.33',
    said: ['injection.enabled: needs Kubernetes 1.34, this is v1.33'],
  },
  {
    error: "a policy that cuts off somebody's node",
    values: { mode: 'sidecar', networkPolicy: { enabled: true } },
    said: ['networkPolicy.enabled: not in mode sidecar'],
  },
  {
    error: "a budget for somebody's pods",
    values: { mode: 'sidecar', podDisruptionBudget: { enabled: true } },
    said: ['podDisruptionBudget.enabled: not in mode sidecar'],
  },
  {
    error: 'Services by labels that nobody keeps',
    values: { tagSetServices: [{ tagSet: 'a' }] },
    said: ['tagSetServices: need config.kubernetes.podLabels.enabled'],
  },
  {
    error: 'Services of nodes that are elsewhere',
    values: { mode: 'fleet', ...configured({}), tagSetServices: [{ tagSet: 'a' }] },
    said: ['tagSetServices: not in mode fleet'],
  },
  {
    error: 'labels of a node on a pod without one',
    values: { mode: 'fleet', config: { targets: [target], ...labelled } },
    said: ['config.kubernetes.podLabels.enabled: not in mode fleet'],
  },
  {
    error: 'labels of two nodes on one pod',
    values: { config: { targets: [target, { ...target, name: 'other' }], ...labelled } },
    said: ['config.kubernetes.podLabels.enabled: needs exactly one target'],
  },
  {
    error: 'readiness for a tag set that there is not',
    values: { nodeProbes: { readiness: { tagSet: 'alpha' } }, ...configured({ tagSets: [{ name: 'beta', tags: ['b'] }] }) },
    said: ['nodeProbes.readiness.tagSet: unknown tag set alpha, so the node would never be ready: expected one of all, beta'],
  },
  {
    error: 'a Service for a tag set that there is not',
    values: {
      tagSetServices: [{ tagSet: 'alpha' }],
      config: { targets: [{ ...target, tagSets: [{ name: 'whole' }] }], ...labelled },
    },
    said: ['tagSetServices: unknown tag set alpha: expected one of whole'],
  },
  {
    error: 'labels in namespaces that the Role is not for',
    values: {
      mode: 'sidecar',
      injection: { enabled: true, namespaceSelector: { matchLabels: { a: 'b' } } },
      config: labelled,
    },
    said: ['injection.namespaceSelector: not with config.kubernetes.podLabels.enabled'],
  },
  ...(['ingress', 'httpRoute'] as const).map((name) => ({
    error: `${name} to no Service`,
    values: { service: { enabled: false }, [name]: on },
    said: [`${name}.enabled: needs service.enabled`],
  })),
  {
    error: 'rules whose identity or fleet is not one of a target',
    values: { prometheusRule: { enabled: true, settings: { identity: 'cluster, target, node_id', fleet: 'cluster, site' } } },
    said: [
      'prometheusRule.settings.identity: node_id has several values for one target, or changes: leave it out',
      'prometheusRule.settings.fleet: site is not in identity',
    ],
  },
  { error: 'a route for no Gateway', values: { httpRoute: on }, said: ['httpRoute.parentRefs: set the Gateway'] },
  {
    error: 'a port of the nodes for a Service that has none',
    values: { service: { nodePort: 30_652 } },
    said: ['service.nodePort: needs service.type: NodePort or LoadBalancer'],
  },
  {
    error: 'TLS over http',
    values: { monitoring: { scheme: 'http', tlsConfig: { insecureSkipVerify: true } } },
    said: ['monitoring.tlsConfig: not with monitoring.scheme: http'],
  },
  {
    error: "fields of pods that are somebody else's",
    values: { mode: 'sidecar', hostNetwork: true, extraContainers: [{ name: 'a' }], podLabels: { a: 'b' } },
    said: ["extraContainers: not in mode sidecar: the pods are the node's", 'hostNetwork: not in mode', 'podLabels: not in mode'],
  },
  {
    error: "numbers and rights of pods that are somebody else's",
    values: { mode: 'sidecar', replicas: 2, terminationGracePeriodSeconds: 5, podSecurityContext: { runAsUser: 7 } },
    said: [
      'the values have 3 error(s)',
      'replicas: not in mode sidecar',
      'terminationGracePeriodSeconds: not',
      'podSecurityContext: not',
    ],
  },
  {
    error: 'a probe of no address',
    values: { service: { enabled: false }, probe: { targets: ['10.0.0.5:9650'] } },
    said: ['probe.targets: need service.enabled or probe.address'],
  },
  {
    error: 'probes that nothing allows',
    values: { probe: { targets: ['10.0.0.5:9650'] } },
    said: [
      'the values have 1 error(s)',
      'probe.targets: config.probe.allow is empty, so every probe would be refused (403): allow the targets there, such as',
    ],
  },
  {
    error: 'probes that their module does not allow',
    values: {
      config: { probe: { allow: [{ cidr: '10.0.0.0/8' }], modules: [{ name: 'own', allow: [] }] } },
      probe: { targets: ['10.0.0.5:9650'], module: 'own' },
    },
    said: ['probe.targets: the allow of module own in config.probe.modules is empty'],
  },
  {
    error: 'probes of a module that there is not',
    values: {
      config: { probe: { allow: [{ cidr: '10.0.0.0/8' }], modules: [{ name: 'own' }] } },
      probe: { targets: ['10.0.0.5:9650'], module: 'wno' },
    },
    said: ['probe.module: config.probe.modules has no wno, so every probe would fail (400): add it there, or set another'],
  },
  {
    error: 'a token for every pod, where nobody has allowed it',
    values: { mode: 'sidecar', config: labelled, admissionPolicy: { enabled: false } },
    said: ['config.kubernetes.podLabels.enabled: admissionPolicy.enabled is false', 'admissionPolicy.podNames'],
  },
  {
    error: 'a token for every pod, where Kubernetes has no policy',
    values: { mode: 'sidecar', config: labelled },
    kubernetes: '1.29',
    said: ['Kubernetes v1.29 has no ValidatingAdmissionPolicy'],
  },
  ...[false, true].map((enabled) => ({
    error: `a right for the account that all pods share, ${enabled ? 'with' : 'without'} injection`,
    values: { mode: 'sidecar', injection: { enabled }, config: labelled },
    said: ['the values have 1 error(s)', "serviceAccount.name: set it to the service account of the node's pods"],
  })),
  {
    error: 'several of them, told at once',
    values: { mode: 'sidecar', networkPolicy: { enabled: true }, config: { probes: { port: 9652 } } },
    said: ['the values have 2 error(s)', '- networkPolicy.enabled', '- config.probes.port'],
  },
];

describeWith(['helm'], 'the chart refuses', (helm = '') => {
  test.each(together(bySchema).map((group) => ({ group, errors: group.map(({ error }) => error).join(', ') })))(
    'by its schema: $errors',
    async ({ group }) => {
      const said = await refusalOf(helm, group);
      for (const words of group.flatMap((row) => row.said)) expect(said).toContain(words);
    },
  );

  test.each(byTemplates)('by its templates: $error', (row) => expectRefusal(helm, row));

  test.each([
    { allowed: 'both as a subchart', values: { global: { anything: { at: 'all' } }, enabled: true } },
    { allowed: 'scrapes as long as their interval', values: { monitoring: { interval: '1m30s', scrapeTimeout: '90s' } } },
    { allowed: 'the defaults of every mode', values: { mode: 'sidecar' } },
    {
      allowed: 'a right for the account that somebody named',
      values: { mode: 'sidecar', serviceAccount: { name: 'default' }, config: labelled },
    },
    {
      allowed: 'a token for every pod, where somebody allowed it',
      values: {
        mode: 'sidecar',
        serviceAccount: { name: 'node' },
        config: labelled,
        admissionPolicy: { enabled: false, tokenMayPatchAnyPodStatus: true },
      },
    },
    { allowed: 'a setting from the environment', values: configured({ staleAfter: ['$', '{STALE_AFTER}'].join('') }) },
    { allowed: 'a threshold as a text', values: { prometheusRule: { enabled: true, settings: { peersLow: '100' } } } },
  ])('and does not refuse $allowed', async ({ values }) => {
    expect(await helmTemplate(helm, { values: { mode: 'demo', ...values } })).toMatchObject({ code: 0, stderr: '' });
  });

  test('a Kubernetes that is too old for it', async () => {
    const { code, stderr } = await helmTemplate(helm, { kubernetes: '1.24' });
    expect(code).toBe(1);
    expect(stderr).toContain('chart requires kubeVersion: >=1.25.0-0 <2.0.0-0');
  });
});
