// node scripts/chart/kubernetes.mjs ~/.cache/snowgauge/schemas: writes kubernetes.json, the Kubernetes types for the schema of
// the chart's values, from the strict schemas that .ci/tools/chart.sh keeps there. A test compares the two.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** @typedef {{ readonly [keyword: string]: unknown }} Shape */

/** @param {unknown} value @returns {value is Shape} */
const isShape = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);

/** The types by document; a path leads to a part without its own name. */
const wanted = {
  'v1.36/pod-v1': {
    Affinity: 'io.k8s.api.core.v1.Affinity',
    Container: 'io.k8s.api.core.v1.Container',
    EnvFromSource: 'io.k8s.api.core.v1.EnvFromSource',
    EnvVar: 'io.k8s.api.core.v1.EnvVar',
    HostAlias: 'io.k8s.api.core.v1.HostAlias',
    LabelSelector: 'io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelector',
    PodDNSConfig: 'io.k8s.api.core.v1.PodDNSConfig',
    PodSecurityContext: 'io.k8s.api.core.v1.PodSecurityContext',
    ResourceRequirements: 'io.k8s.api.core.v1.ResourceRequirements',
    SecurityContext: 'io.k8s.api.core.v1.SecurityContext',
    Toleration: 'io.k8s.api.core.v1.Toleration',
    TopologySpreadConstraint: 'io.k8s.api.core.v1.TopologySpreadConstraint',
    Volume: 'io.k8s.api.core.v1.Volume',
    VolumeMount: 'io.k8s.api.core.v1.VolumeMount',
  },
  'v1.36/networkpolicy-networking-v1': { NetworkPolicyPeer: 'io.k8s.api.networking.v1.NetworkPolicyPeer' },
  'monitoring/podmonitor-monitoring-v1': {
    BasicAuth: ['spec', 'podMetricsEndpoints', '', 'basicAuth'],
    RelabelConfig: ['spec', 'podMetricsEndpoints', '', 'relabelings', ''],
    SafeTLSConfig: ['spec', 'podMetricsEndpoints', '', 'tlsConfig'],
  },
  'gateway/httproute-gateway-v1': {
    ParentReference: ['spec', 'parentRefs', ''],
    HTTPRouteRule: ['spec', 'rules', ''],
  },
};

/** @param {string} name */
const short = (name) => name.split('.').at(-1) ?? name;

/** A string or number as a single keyword, so that an error is one line. */
const scalars = {
  Quantity: { type: ['string', 'number'], pattern: '^[-+]?[0-9.]+([eE][-+]?[0-9]+|[numkMGTPE]|[KMGTPE]i)?$' },
  IntOrString: { type: ['string', 'integer'] },
};

/** @param {unknown} schema @returns {unknown} */
const bare = (schema) => {
  if (Array.isArray(schema)) return schema.map(bare);
  if (!isShape(schema)) return schema;
  return Object.fromEntries(
    Object.entries(schema).flatMap(([keyword, value]) => {
      if (keyword === 'description' && typeof value === 'string') return [];
      if (keyword === 'format' && typeof value === 'string') return [];
      if (keyword === '$ref' && typeof value === 'string') return [[keyword, `#/definitions/${short(value)}`]];
      return [[keyword, keyword === 'properties' && isShape(value) ? bareEach(value) : bare(value)]];
    }),
  );
};

/** @param {Shape} properties */
const bareEach = (properties) => Object.fromEntries(Object.entries(properties).map(([name, value]) => [name, bare(value)]));

/** @param {unknown} schema @param {readonly string[]} path an empty name is an item of a list */
const within = (schema, path) =>
  path.reduce((/** @type {any} */ at, name) => (name === '' ? at.items : at.properties[name]), schema);

/**
 * @param {string} schemas the folder that .ci/tools/chart.sh fills
 * @returns {Readonly<Record<string, unknown>>} type -> its JSON Schema
 */
const kubernetesTypes = (schemas) => {
  /** @type {Map<string, unknown>} */
  const found = new Map();
  for (const [file, types] of Object.entries(wanted)) {
    const document = JSON.parse(readFileSync(join(schemas, `${file}.json`), 'utf8'));
    /** @param {string} name */
    const add = (name) => {
      if (found.has(short(name))) return;
      const scalar = Object.entries(scalars).find(([one]) => one === short(name))?.[1];
      found.set(short(name), scalar ?? bare(document.definitions[name]));
      if (scalar === undefined) addAll(document.definitions[name]);
    };
    /** @param {unknown} schema */
    const addAll = (schema) => {
      JSON.stringify(schema, (keyword, value) => {
        if (keyword === '$ref' && typeof value === 'string') add(value.slice('#/definitions/'.length));
        return value;
      });
    };
    for (const [name, place] of Object.entries(types)) {
      if (typeof place === 'string') add(place);
      else found.set(name, bare(within(document, place)));
    }
  }
  return Object.fromEntries([...found].toSorted(([a], [b]) => (a < b ? -1 : 1)));
};

/** One type per line. @param {string} schemas */
export const kubernetesJson = (schemas) => {
  const lines = Object.entries(kubernetesTypes(schemas)).map(([name, shape]) => `"${name}":${JSON.stringify(shape)}`);
  return `{\n${lines.join(',\n')}\n}\n`;
};

const [, program = '', schemas = ''] = process.argv;
if (import.meta.url === pathToFileURL(program).href)
  writeFileSync(new URL('kubernetes.json', import.meta.url), kubernetesJson(schemas));
