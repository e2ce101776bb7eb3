// The plain manifests in a kustomization as a user would write it, with their own namespace and image.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { expect, test } from 'vitest';
import { readNames } from '../../../scripts/names.mjs';
import { root } from '../../support/chart.ts';
import { type Cluster, image } from '../../support/cluster/cluster.ts';
import { until } from '../../support/until.ts';
import { isReady, makeSpace } from './release.ts';

export const manifestsSuite = (cluster: () => Cluster): void => {
  test.concurrent.for([
    { overlay: 'sidecar', containers: ['node', 'snowgauge'], says: 'snowgauge_up{target="node"} 1' },
    { overlay: 'sidecar-labels', containers: ['node', 'snowgauge'], says: 'snowgauge_pod_labels_current 1' },
    // Ready without nodes, and allowed to discover some.
    {
      overlay: 'fleet',
      containers: ['snowgauge'],
      says: 'snowgauge_discovery_last_refresh_successful{source="kubernetes/0"} 1',
    },
  ])(
    'the manifests of $overlay create a pod that becomes ready and exports $says',
    { timeout: 600_000 },
    async (row, context) => {
      const space = await makeSpace(context, cluster(), `plain-${row.overlay}`);
      const folder = mkdtempSync(join(tmpdir(), 'snowgauge-plain-'));
      context.onTestFinished(() => rmSync(folder, { recursive: true }));
      const own = join(folder, 'own');
      mkdirSync(own);
      const kustomization = {
        resources: [relative(own, join(root, 'deploy/kubernetes/overlays', row.overlay))],
        namespace: space.namespace,
        images: [{ name: readNames().image, newName: image.repository, newTag: image.tag }],
      };
      writeFileSync(join(own, 'kustomization.yaml'), JSON.stringify(kustomization));
      await space.kubectl('apply', '--kustomize', own);
      const pod = await until('the pod is ready', async () => {
        const found = await space.pod('snowgauge-');
        return found !== undefined && isReady(found) && found;
      });
      expect([...(pod.spec.initContainers ?? []), ...pod.spec.containers].map(({ name }) => name)).toEqual(row.containers);
      await until(`it says ${row.says}`, async () => (await space.ask(pod, 9652, '/metrics')).body.includes(row.says));
    },
  );
};
