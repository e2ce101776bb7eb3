// charts/snowgauge/values.schema.json: strict in what is ours, open in what is handed on to Kubernetes.

import { configJsonSchema } from '../../src/config/json-schema.ts';
import { alerts } from '../../src/rules/alerts.ts';
import { ruleSettingShapes } from './rules.ts';
import {
  dnsLabel,
  flag,
  foreign,
  foreignList,
  goDuration,
  labels,
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
const ownProbe = only({ ...timing, initialDelaySeconds: whole(0, 3600), successThreshold: whole(1, 100) });
const nodeProbe = (more: Readonly<Record<string, Shape>>): Shape => only({ enabled: flag, ...timing, ...more });
const source = oneOf('node', 'snowgauge');

const monitored = { enabled: flag, namespace: objectName, labels, annotations: labels };
const scraped = { ...monitored, interval: scrapeDuration, scrapeTimeout: scrapeDuration, metricRelabelings: foreignList };
const monitor = only({ ...scraped, jobLabel: text, honorLabels: flag, relabelings: foreignList });

const isShape = (value: unknown): value is Shape => typeof value === 'object' && value !== null && !Array.isArray(value);

/** What the chart itself must know, so without a `${NAME}`, which only snowgauge can read. */
const known: Readonly<Record<string, Shape>> = {
  port,
  enabled: flag,
  name: dnsLabel,
  url: matching('^https?://[^@?#]+$', 'An http or https URL.'),
};

/**
 * A `${NAME}` in place of a number, or of a text of a certain look: the keywords of the two do not meet, so that one schema says both,
 * and a mistake is told in one line rather than as alternatives that all fail.
 */
const merged = (alternatives: unknown): Shape | undefined => {
  const [narrow, variable] = Array.isArray(alternatives) ? alternatives : [];
  if (!isShape(narrow) || !isShape(variable) || narrow.enum !== undefined) return undefined;
  if (narrow.type === 'string')
    return typeof narrow.pattern === 'string' ? { type: 'string', pattern: `${narrow.pattern}|${variable.pattern}` } : undefined;
  return { ...narrow, type: [narrow.type, 'string'], pattern: variable.pattern };
};

const plain = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(plain);
  if (!isShape(value)) return value;
  const one = merged(value.anyOf);
  const kept = Object.entries(value).filter(([key]) => key !== 'default' && (key !== 'anyOf' || one === undefined));
  return { ...Object.fromEntries(kept.map(([key, child]) => [key, known[key] ?? plain(child)])), ...one };
};

/** As `snowgauge config schema` prints it. */
const config = (): Shape => {
  const { $schema: _, ...schema } = configJsonSchema();
  const shape = plain(schema);
  return isShape(shape) ? shape : foreign;
};

const nodeShape = only({
  port,
  healthCheckFrequency: goDuration,
  args: listOf(text),
  indexEnabled: flag,
  allowedHosts: listOf(text),
  scenario: foreign,
  resources: foreign,
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
  prometheus: foreignList,
  kubeletCidrs: listOf(text),
  nodes: only({ to: foreignList, ports: listOf(port) }),
  dns: foreignList,
  apiServerCidrs: listOf(text),
});

const prometheusRule = only({
  ...monitored,
  settings: only(ruleSettingShapes()),
  without: listOf(oneOf(...alerts.map(({ name }) => name))),
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

const properties = (): Readonly<Record<string, Shape>> => ({
  // Helm puts these two into the values of a chart that another one depends on.
  global: foreign,
  enabled: flag,
  mode: oneOf('node', 'fleet', 'sidecar'),
  nameOverride: objectName,
  fullnameOverride: objectName,
  commonLabels: labels,
  image,
  imagePullSecrets: listOf(text),
  config: config(),
  configObject: only({ kind: oneOf('ConfigMap', 'Secret'), existing: objectName, key: matching('^[-._A-Za-z0-9]+$', 'A key.') }),
  stateVolume: foreign,
  probes: only({ startup: ownProbe, liveness: ownProbe, readiness: ownProbe }),
  nodeProbes: only({
    node: only({ host: text, scheme: oneOf('', 'HTTP', 'HTTPS'), port: whole(0, 65_535) }),
    startup: nodeProbe({ source }),
    readiness: nodeProbe({ tagSet: matching('^([a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?)?$', 'The name of a tag set, or empty.') }),
    liveness: nodeProbe({ source }),
    mayRestartHealthyNodes: flag,
    allowShort: flag,
  }),
  sidecar: only({ native: { enum: [true, false, 'auto'] }, target: dnsLabel, podSelector: labels }),
  injection: only(
    {
      enabled: flag,
      // Without any it would be every pod.
      podLabels: { ...labels, minProperties: 1 },
      namespaceSelector: foreign,
      failurePolicy: oneOf('Ignore', 'Fail'),
    },
    ['podLabels'],
  ),
  node: nodeShape,
  replicas: whole(0, 1000),
  podLabels: labels,
  podAnnotations: labels,
  terminationGracePeriodSeconds: whole(0, 86_400),
  resources: foreign,
  maxHeapMiB: whole(0, 1_048_576),
  command: listOf(text),
  podSecurityContext: foreign,
  securityContext: foreign,
  nodeSelector: labels,
  tolerations: foreignList,
  affinity: foreign,
  topologySpreadConstraints: foreignList,
  priorityClassName: text,
  runtimeClassName: text,
  extraEnv: foreignList,
  extraEnvFrom: foreignList,
  extraVolumes: foreignList,
  extraVolumeMounts: foreignList,
  admissionPolicy: only({ enabled: flag, podNames: listOf(objectName), tokenMayPatchAnyPodStatus: flag }),
  serviceAccount: only({ create: flag, name: objectName, annotations: labels }),
  service: only({
    enabled: flag,
    type: oneOf('ClusterIP', 'NodePort', 'LoadBalancer'),
    port,
    annotations: labels,
    ipFamilyPolicy: oneOf('', 'SingleStack', 'PreferDualStack', 'RequireDualStack'),
  }),
  tagSetServices: listOf(only({ tagSet: dnsLabel, name: objectName, port, annotations: labels }, ['tagSet'])),
  podDisruptionBudget: only({ enabled: flag, maxUnavailable: quantity, minAvailable: quantity }),
  networkPolicy,
  serviceMonitor: monitor,
  podMonitor: monitor,
  probe: only({ ...scraped, jobName: text, address: text }),
  prometheusRule,
  dashboards: only(monitored),
  tests: only({ enabled: flag }),
  extraObjects: listOf({ type: ['object', 'string'] }),
});

export const valuesSchema = (): Shape => ({
  $schema: 'http://json-schema.org/draft-07/schema#',
  title: 'Values of the chart snowgauge',
  ...only(properties()),
});
