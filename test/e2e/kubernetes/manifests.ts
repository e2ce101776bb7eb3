// The plain manifests, applied as they are, but for the image.

import { expect, test } from 'vitest';
import { type Cluster, image } from '../../support/cluster/cluster.ts';
import { until } from '../../support/until.ts';
import { isReady, makeSpace } from './release.ts';

export const manifestsSuite = (cluster: () => Cluster): void => {
  test.concurrent.for([
    { overlay: 'sidecar', containers: ['node', 'snowgauge'], says: 'snowgauge_up{target="node"} 1' },
    { overlay: 'sidecar-labels', containers: ['node', 'snowgauge'], says: 'snowgauge_pod_labels_current 1' },
    // Its nodes are not there: it is ready on its own account.
    { overlay: 'fleet', containers: ['snowgauge'], says: 'snowgauge_up{target="validator-1"} 0' },
  ])(
    'the manifests of $overlay make a pod that gets ready and tells what it knows',
    { timeout: 600_000 },
    async (row, context) => {
      const space = await makeSpace(context, cluster(), `plain-${row.overlay}`);
      const rendered = await space.kubectl('kustomize', `deploy/kubernetes/overlays/${row.overlay}`);
      // As its user would, where the namespace is another one.
      const placed = row.overlay === 'sidecar-labels' ? rendered.replaceAll(/\bdefault\b/g, space.namespace) : rendered;
      const ours = placed.replaceAll(/image: ghcr\.io\/\S+/g, `image: ${image.repository}:${image.tag}`);
      await cluster().kubectl(['--namespace', space.namespace, 'apply', '--filename=-'], { input: ours });
      const pod = await until('the pod is ready', async () => {
        const found = await space.pod('snowgauge-');
        return found !== undefined && isReady(found) && found;
      });
      expect([...(pod.spec.initContainers ?? []), ...pod.spec.containers].map(({ name }) => name)).toEqual(row.containers);
      await until(`it says ${row.says}`, async () => (await space.ask(pod, 9652, '/metrics')).body.includes(row.says));
    },
  );
};
