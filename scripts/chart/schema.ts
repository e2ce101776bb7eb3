// Generates charts/snowgauge/values.schema.json, which is strict about our own values and those passed to Kubernetes.

import { alerts } from '../../src/rules/alerts.ts';
import { configShape, webConfigShape } from './config.ts';
import { definitionsFor, kube, kubeList, kubeWithout } from './kubernetes.ts';
import { needed, requiring } from './needed.ts';
import { ruleSettingShapes } from './rules.ts';
import {
  cidr,
  dnsLabel,
  flag,
  foreign,
  goDuration,
  hostName,
  labels,
  letterFirst,
  listOf,
  matching,
  objectName,
  oneOf,
  only,
  port,
  quantity,
  type Shape,
  scrapeDuration,
  text,
  whole,
} from './shapes.ts';

const timing = { periodSeconds: whole(1, 3600), timeoutSeconds: whole(1, 300), failureThreshold: whole(1, 10_000) };
const ownProbe = { ...timing, initialDelaySeconds: whole(0, 3600) };
const nodeProbe = (more: Readonly<Record<string, Shape>>): Shape => only({ enabled: flag, ...timing, ...more });
const source = oneOf('node', 'snowgauge');
const secretKey = matching('^[-._A-Za-z0-9]+$', 'A key.');

const monitored = { namespace: objectName, labels, annotations: labels };

const monitoring = only({
  kind: oneOf('', 'ServiceMonitor', 'PodMonitor', 'ScrapeConfig'),
  ...monitored,
  interval: scrapeDuration,
  scrapeTimeout: scrapeDuration,
  refreshInterval: scrapeDuration,
  scheme: oneOf('', 'http', 'https'),
  tlsConfig: kube('SafeTLSConfig'),
  basicAuth: kube('BasicAuth'),
  sampleLimit: whole(0, 1_000_000_000),
  jobLabel: text,
  targetLabels: listOf(text),
  podTargetLabels: listOf(text),
  relabelings: kubeList('RelabelConfig'),
  metricRelabelings: kubeList('RelabelConfig'),
});

const probe = only({
  targets: listOf(text),
  module: dnsLabel,
  jobName: text,
  address: text,
  metricRelabelings: kubeList('RelabelConfig'),
});

const nodeShape = only({
  port,
  healthCheckFrequency: goDuration,
  args: listOf(text),
  indexEnabled: flag,
  allowedHosts: listOf(text),
  scenario: foreign,
  resources: kube('ResourceRequirements'),
  persistence: only({
    enabled: flag,
    size: quantity,
    storageClass: text,
    accessModes: listOf(oneOf('ReadWriteOnce', 'ReadWriteOncePod', 'ReadWriteMany')),
    whenDeleted: oneOf('Delete', 'Retain'),
  }),
});

const networkPolicy = only({
  enabled: flag,
  prometheus: kubeList('NetworkPolicyPeer'),
  kubeletCidrs: listOf(cidr),
  nodes: only({ to: kubeList('NetworkPolicyPeer'), ports: listOf(port) }),
  dns: kubeList('NetworkPolicyPeer'),
  apiServerCidrs: listOf(cidr),
});

const prometheusRule = only({
  enabled: flag,
  ...monitored,
  settings: only(ruleSettingShapes()),
  without: listOf({ enum: alerts.map(({ name }) => name) }),
  nodeMetrics: flag,
  alertLabels: labels,
});

const image = only({
  registry: matching('^[A-Za-z0-9.:/_-]*$', 'A host, or empty.'),
  repository: matching('^[a-z0-9]+([._/-]+[a-z0-9]+)*$', 'A repository without host, tag and digest.'),
  tag: matching('^([A-Za-z0-9_][A-Za-z0-9._-]{0,127})?$', 'A tag, or empty.'),
  digest: matching('^(sha256:[0-9a-f]{64})?$', 'sha256:… or empty.'),
  pullPolicy: oneOf('Always', 'IfNotPresent', 'Never'),
});

const ingress = only({
  enabled: flag,
  className: text,
  annotations: labels,
  hosts: listOf(hostName),
  path: matching('^/', 'A path from the root.'),
  pathType: oneOf('Prefix', 'Exact', 'ImplementationSpecific'),
  tls: listOf(only({ hosts: listOf(hostName), secretName: objectName })),
});

const httpRoute = only({
  enabled: flag,
  annotations: labels,
  parentRefs: kubeList('ParentReference'),
  hostnames: listOf(hostName),
  rules: listOf(kubeWithout('HTTPRouteRule', 'backendRefs')),
});

/** The update strategy of a StatefulSet. */
const updateStrategy = only({
  type: oneOf('RollingUpdate', 'OnDelete'),
  rollingUpdate: only({ maxUnavailable: quantity, partition: whole(0, 1000) }),
});

const properties = (): Readonly<Record<string, Shape>> => ({
  // Helm adds these two to the values of a subchart.
  global: foreign,
  enabled: flag,
  mode: oneOf('fleet', 'sidecar', 'demo'),
  nameOverride: letterFirst,
  fullnameOverride: letterFirst,
  clusterDomain: matching('^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$', 'A domain.'),
  namespaceOverride: objectName,
  commonLabels: labels,
  image,
  imagePullSecrets: listOf(only({ name: objectName }, ['name'])),
  config: configShape(),
  configObject: only({ kind: oneOf('ConfigMap', 'Secret'), existing: objectName, key: secretKey }),
  shards: whole(1, 1000),
  highAvailability: flag,
  webConfig: only({ config: webConfigShape(), existingSecret: objectName, key: secretKey }),
  stateVolume: kubeWithout('Volume', 'name'),
  probes: only({
    startup: only(ownProbe),
    liveness: only(ownProbe),
    readiness: only({ ...ownProbe, successThreshold: whole(1, 100) }),
  }),
  allowUnsafe: flag,
  nodeProbes: only({
    node: only({ host: text, scheme: oneOf('', 'HTTP', 'HTTPS'), port: whole(0, 65_535) }),
    startup: nodeProbe({ source }),
    readiness: nodeProbe({ tagSet: matching('^([a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?)?$', 'The name of a tag set, or empty.') }),
    liveness: nodeProbe({ source }),
    mayRestartHealthyNodes: flag,
  }),
  sidecar: only({ native: { enum: [true, false, 'auto'] }, target: dnsLabel, podSelector: labels }),
  injection: only({
    enabled: flag,
    // An empty selector would match every pod.
    podLabels: { ...labels, minProperties: 1 },
    namespaceSelector: kube('LabelSelector'),
    failurePolicy: oneOf('Ignore', 'Fail'),
  }),
  node: nodeShape,
  replicas: whole(0, 1000),
  podLabels: labels,
  podAnnotations: labels,
  terminationGracePeriodSeconds: whole(0, 86_400),
  revisionHistoryLimit: whole(0, 1000),
  updateStrategy,
  resources: kube('ResourceRequirements'),
  maxHeapMiB: whole(0, 1_048_576),
  command: listOf(text),
  podSecurityContext: kube('PodSecurityContext'),
  securityContext: kube('SecurityContext'),
  nodeSelector: labels,
  tolerations: kubeList('Toleration'),
  affinity: kube('Affinity'),
  topologySpreadConstraints: kubeList('TopologySpreadConstraint'),
  priorityClassName: text,
  runtimeClassName: text,
  hostNetwork: flag,
  hostAliases: kubeList('HostAlias'),
  dnsPolicy: oneOf('', 'ClusterFirst', 'ClusterFirstWithHostNet', 'Default', 'None'),
  dnsConfig: kube('PodDNSConfig'),
  extraContainers: kubeList('Container'),
  extraEnv: kubeList('EnvVar'),
  extraEnvFrom: kubeList('EnvFromSource'),
  extraVolumes: kubeList('Volume'),
  extraVolumeMounts: kubeList('VolumeMount'),
  admissionPolicy: only({ enabled: flag, podNames: listOf(objectName), tokenMayPatchAnyPodStatus: flag }),
  serviceAccount: only({ create: flag, name: objectName, annotations: labels }),
  service: only({
    enabled: flag,
    type: oneOf('ClusterIP', 'NodePort', 'LoadBalancer'),
    port,
    nodePort: whole(0, 65_535),
    annotations: labels,
    ipFamilyPolicy: oneOf('', 'SingleStack', 'PreferDualStack', 'RequireDualStack'),
  }),
  tagSetServices: listOf(only({ tagSet: dnsLabel, name: letterFirst, port, annotations: labels }, ['tagSet'])),
  ingress,
  httpRoute,
  podDisruptionBudget: only({
    enabled: flag,
    maxUnavailable: quantity,
    minAvailable: quantity,
    unhealthyPodEvictionPolicy: oneOf('', 'IfHealthyBudget', 'AlwaysAllow'),
  }),
  networkPolicy,
  monitoring,
  probe,
  prometheusRule,
  dashboards: only({ enabled: flag, ...monitored }),
  tests: only({ enabled: flag }),
  extraObjects: listOf({ type: ['object', 'string'] }),
});

export const valuesSchema = (): Shape => {
  const schema = requiring(only(properties()), needed);
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'Values of the chart snowgauge',
    ...schema,
    definitions: definitionsFor(schema),
  };
};
