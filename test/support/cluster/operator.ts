// The Prometheus Operator in a cluster, and a Prometheus that selects every monitor, probe and rule.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { containerEnv } from '../image.ts';
import { runTool } from '../run-tool.ts';
import { toolCache, toolPath } from '../tools.ts';
import { until } from '../until.ts';
import { type Cluster, state } from './cluster.ts';

const definitions = join(toolCache, 'crds');
const programs = ['prometheus-operator', 'prometheus-config-reloader', 'prometheus3'];

/** The required tools that this machine lacks. */
export const operatorObstacle = (): string | undefined => {
  const missing = [...programs.filter((tool) => toolPath(tool) === undefined), ...(existsSync(definitions) ? [] : [definitions])];
  return missing.length === 0 ? undefined : `not installed: ${missing.join(', ')}`;
};

/** Builds and loads an image with one static program. */
const loadProgram = async (cluster: Cluster, tool: string, path: string): Promise<string> => {
  const buildah = (...args: readonly string[]) => runTool('buildah', args, { env: containerEnv });
  const name = `localhost/snowgauge/${tool}:test`;
  const container = (await buildah('from', 'scratch')).trim();
  await buildah('copy', '--quiet', container, toolPath(tool) ?? tool, path);
  await buildah('config', '--entrypoint', JSON.stringify([path]), '--user', '65534:65534', container);
  // With a fixed timestamp the image is the same each time.
  await buildah('commit', '--quiet', '--rm', '--timestamp', '0', container, name);
  await cluster.load(name);
  return name;
};

/** Returns the address of the Prometheus API for programs in the machine. */
export const startOperator = async (cluster: Cluster, namespace: string): Promise<string> => {
  const reloader = await loadProgram(cluster, 'prometheus-config-reloader', '/bin/prometheus-config-reloader');
  const prometheus = await loadProgram(cluster, 'prometheus3', '/bin/prometheus');
  const script = fileURLToPath(new URL('operator.sh', import.meta.url));
  await cluster.exec(['bash', script, state, definitions, reloader], { timeoutMs: 300_000 });
  // Complete and before any monitor exists: later changes are applied only after minutes.
  await cluster.apply(
    namespace,
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'prometheus', namespace } },
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata: { name: 'prometheus' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' },
      subjects: [{ kind: 'ServiceAccount', name: 'prometheus', namespace }],
    },
    {
      apiVersion: 'monitoring.coreos.com/v1',
      kind: 'Prometheus',
      metadata: { name: 'all', namespace },
      spec: {
        replicas: 1,
        version: 'v3.15.0',
        image: prometheus,
        imagePullPolicy: 'Never',
        serviceAccountName: 'prometheus',
        evaluationInterval: '2s',
        ...Object.fromEntries(
          ['serviceMonitor', 'podMonitor', 'scrapeConfig', 'probe', 'rule'].flatMap((kind) => [
            [`${kind}Selector`, {}],
            [`${kind}NamespaceSelector`, {}],
          ]),
        ),
        securityContext: { runAsUser: 65534, runAsNonRoot: true, fsGroup: 65534 },
        resources: { requests: { memory: '64Mi' } },
      },
    },
  );
  return until('Prometheus is ready', async () => {
    const address = await cluster.kubectl(['-n', namespace, 'get', 'pod', 'prometheus-all-0', '-o', 'jsonpath={.status.podIP}']);
    const url = `http://${address}:9090`;
    return (await cluster.ask(`${url}/-/ready`)).status === 200 && url;
  });
};
