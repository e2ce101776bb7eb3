// The sidecar in the pods of a foreign chart: by the chart's templates, and by injection without changes to that chart.

import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, type TestContext, test } from 'vitest';
import * as z from 'zod/mini';
import { type Cluster, image } from '../../support/cluster/cluster.ts';
import { until } from '../../support/until.ts';
import { chart, imageArgs, install, isReady, makeSpace, type Pod, type Space } from './release.ts';

const timeout = 600_000;
const target = { name: 'node', url: 'http://127.0.0.1:9650', healthCheckFrequency: '1s', timeout: '1s' };

/** test/fixtures/charts/validator next to the chart that it depends on. */
const foreignChart = async (test: TestContext, cluster: Cluster): Promise<string> => {
  const folder = mkdtempSync(join(tmpdir(), 'snowgauge-charts-'));
  test.onTestFinished(() => rmSync(folder, { recursive: true }));
  cpSync(chart, join(folder, 'snowgauge'), { recursive: true });
  cpSync('test/fixtures/charts/validator', join(folder, 'validator'), { recursive: true });
  // Its node uses the image that the tests of this clone have built.
  const values = join(folder, 'validator', 'values.yaml');
  writeFileSync(values, readFileSync(values, 'utf8').replace(/^image: .*$/m, `image: ${image.repository}:${image.tag}`));
  const env = { HELM_CACHE_HOME: join(folder, 'cache') };
  await cluster.helm(['dependency', 'update', join(folder, 'validator')], { env });
  return join(folder, 'validator');
};

const podSpec = z.object({ spec: z.object({ initContainers: z.optional(z.array(z.looseObject({ name: z.string() }))) }) });

const names = ({ spec }: Pod) => [...(spec.initContainers ?? []), ...spec.containers].map(({ name }) => name);

const readyPod = (space: Space, prefix: string): Promise<Pod> =>
  until(`${prefix} is ready`, async () => {
    const pod = await space.pod(prefix);
    return pod !== undefined && isReady(pod) && pod;
  });

const seesTheNode = (space: Space, pod: Pod): Promise<string> =>
  until('the sidecar has a report of the node', async () => {
    const { body } = await space.ask(pod, 9652, '/metrics');
    return body.includes('snowgauge_up{target="node"} 1') && body;
  });

/** A labelled pod after admission by the API server, as a dry run. */
const admitted = async ({ namespace }: Space, cluster: Cluster) => {
  const own = { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } };
  const labelled = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'labelled', labels: { 'snowgauge.io/inject': 'true' } },
    spec: {
      securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
      containers: [{ name: 'node', image: image.repository, securityContext: own }],
    },
  };
  const create = ['--namespace', namespace, 'create', '--dry-run=server', '--output=json', '--filename=-'];
  return podSpec.parse(JSON.parse(await cluster.kubectl(create, { input: JSON.stringify(labelled) })));
};

export const foreignSuite = (cluster: () => Cluster): void => {
  test.concurrent('mode sidecar, by templates: install, helm test, upgrade, rollback, uninstall', {
    timeout,
  }, async (context) => {
    const space = await makeSpace(context, cluster(), 'templates');
    const folder = await foreignChart(context, cluster());
    const own = imageArgs.map((arg) => arg.replace(/^image\./, 'snowgauge.image.'));
    const values = { snowgauge: { enabled: true, config: { targets: [target] } } };
    const args = ['--namespace', space.namespace, '--wait', '--timeout=400s', '--values=-', ...own];
    await cluster().helm(['install', 'validator', folder, ...args], { input: JSON.stringify(values), timeoutMs: 500_000 });
    const pod = await readyPod(space, 'validator-0');
    expect(names(pod)).toEqual(['node', 'snowgauge']);
    await seesTheNode(space, pod);
    // A Service of the foreign chart names a port of the sidecar.
    const { spec } = z
      .object({ spec: z.object({ clusterIP: z.string() }) })
      .parse(await cluster().get('service', space.namespace, 'validator'));
    const answer = async () => {
      const { status, body } = await cluster().ask(`http://${spec.clusterIP}:9652/readyz`);
      return status === 200 && body;
    };
    expect(await until('the Service reaches the sidecar', answer)).toBe('ok\n');
    // On a busy machine the node may not respond in time: helm test then passes too, and logs it.
    await until('helm test tells that the node is up', async () =>
      /snowgauge_up\{target="node"\} 1/.test(await space.helm('test', 'validator', '--logs')),
    );
    const upgrade = ['upgrade', 'validator', folder, '--reuse-values', '--wait', '--timeout=400s'];
    await space.helm(...upgrade, '--set', 'podLabels.upgraded=yes');
    expect((await readyPod(space, 'validator-0')).metadata.labels).toMatchObject({ upgraded: 'yes' });
    await space.helm('rollback', 'validator', '1', '--wait', '--timeout=400s');
    expect((await readyPod(space, 'validator-0')).metadata.labels).not.toHaveProperty('upgraded');
    await space.kubectl('delete', 'pods', '--selector=app.kubernetes.io/component=test');
    await space.helm('uninstall', 'validator', '--wait', '--timeout=400s');
    await space.kubectl('wait', '--for=delete', 'pods', '--all', '--timeout=120s');
    expect((await space.kubectl('get', 'all,configmaps', '--output=name')).trim()).toBe('configmap/kube-root-ca.crt');
  });

  test.concurrent('mode sidecar, by injection: into labelled pods of a foreign chart, and no others', {
    timeout,
  }, async (context) => {
    const space = await makeSpace(context, cluster(), 'injected');
    const watch = { mode: 'sidecar', injection: { enabled: true }, config: { targets: [target] } };
    await install(space, cluster(), 'watch', watch);
    const folder = await foreignChart(context, cluster());
    const foreign = (name: string, ...args: readonly string[]) => space.helm('install', name, folder, ...args);
    // The API server needs a moment to load the policy: a pod that is created before stays unchanged.
    const labelled = await until('a labelled pod has the sidecar', async () => {
      await foreign('labelled', '--set-string', 'podLabels.snowgauge\\.io/inject=true');
      const pod = await until('there is a pod', () => space.pod('labelled-0'));
      if (names(pod).includes('snowgauge')) return pod;
      await space.helm('uninstall', 'labelled', '--wait');
      return undefined;
    });
    await foreign('other');
    const urls = ['podLabels.snowgauge\\.io/inject=true', 'podAnnotations.snowgauge\\.io/url=http://127.0.0.1:1'];
    await foreign('elsewhere', ...urls.flatMap((value) => ['--set-string', value]));
    expect(labelled.spec.containers.map(({ name }) => name)).toEqual(['node', 'snowgauge']);
    const page = await seesTheNode(space, await readyPod(space, 'labelled-0'));
    expect(page).toMatch(/^snowgauge_target_condition\{target="node",condition="Ready",tag_set="all",/m);
    expect(names(await readyPod(space, 'other-0'))).toEqual(['node']);
    // The annotation overrides the URL in the configuration of the namespace.
    const elsewhere = await readyPod(space, 'elsewhere-0');
    const says = (pod: Pod, line: string) =>
      until(`${pod.metadata.name} says ${line}`, async () =>
        (await space.ask(pod, 9652, '/metrics')).body.split('\n').includes(line),
      );
    await says(elsewhere, 'snowgauge_up{target="node"} 0');
    // The policy changes but existing pods do not, which they report.
    const pod = await readyPod(space, 'labelled-0');
    await says(pod, 'snowgauge_injection_outdated 0');
    await install(space, cluster(), 'watch', { ...watch, resources: { limits: { memory: '100Mi' } } });
    await says(pod, 'snowgauge_injection_outdated 1');
    // A policy that fails is ignored, so only a pod shows that it works.
    const native = { ...watch, sidecar: { native: true }, resources: { limits: { cpu: 1, memory: '100Mi' } } };
    await install(space, cluster(), 'watch', native);
    const sidecar = { name: 'snowgauge', restartPolicy: 'Always', resources: { limits: { cpu: '1', memory: '100Mi' } } };
    expect(
      await until(
        'a labelled pod would have a native sidecar',
        async () => (await admitted(space, cluster())).spec.initContainers?.[0],
      ),
    ).toMatchObject(sidecar);
    await space.helm('uninstall', 'watch', 'labelled', 'other', 'elsewhere', '--wait');
    expect((await cluster().kubectl(['get', 'mutatingadmissionpolicies', '--output=name'])).trim()).toBe('');
  });
};
