// The pod of deploy/kubernetes without its StatefulSet, with changes for a test.

import { at, documentsOf, type Manifest } from '../../support/chart.ts';
import { image } from '../../support/cluster/cluster.ts';
import type { Space } from './release.ts';

/** Without a controller, so nothing recreates it. */
export const plainPod = async (space: Space, change: (spec: Record<string, unknown>) => object): Promise<Manifest> => {
  const text = await space.kubectl('kustomize', 'deploy/kubernetes/overlays/sidecar');
  const ours = text.replaceAll(/image: ghcr\.io\/\S+/g, `image: ${image.repository}:${image.tag}`);
  const spec = at(
    documentsOf(ours).find(({ kind }) => kind === 'StatefulSet'),
    'spec.template.spec',
  );
  const given = typeof spec === 'object' && spec !== null ? { ...spec } : {};
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'plain', labels: { app: 'plain' } }, spec: change(given) };
};

export const containersOf = (spec: Readonly<Record<string, unknown>>): readonly Manifest[] =>
  Array.isArray(spec.containers) ? spec.containers : [];

/** Its containers, with a sidecar image that cannot be pulled. */
export const unpullable = (spec: Readonly<Record<string, unknown>>): readonly Manifest[] =>
  containersOf(spec).map((one) =>
    one.name === 'snowgauge' ? { ...one, image: 'localhost/there-is-none:1', imagePullPolicy: 'Never' } : one,
  );
