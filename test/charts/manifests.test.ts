// The plain manifests are what the chart makes: whoever leaves Helm aside gets the same.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { parseConfig } from '../../src/config/load.ts';
import { at, documentsOf, execute, type Manifest, named, objectsOf, root, texts } from '../support/chart.ts';
import { describeWith } from '../support/tools.ts';

const folder = join(root, 'deploy/kubernetes');
const config = (path: string): unknown => parse(readFileSync(join(folder, path, 'snowgauge.yaml'), 'utf8'));

const overlays = [
  {
    overlay: 'fleet',
    values: {
      mode: 'fleet',
      config: config('overlays/fleet'),
      resources: { requests: { cpu: '20m', memory: '96Mi' }, limits: { memory: '256Mi' } },
    },
  },
  { overlay: 'sidecar', values: { mode: 'node', config: config('base') } },
  { overlay: 'sidecar-labels', values: { mode: 'node', config: config('overlays/sidecar-labels') } },
];

const onlyHelms = ['helm.sh/chart', 'app.kubernetes.io/managed-by'];

/** Less what only Helm has: its labels, the namespace that kubectl gives, a pod's checksums. The configuration as what it says. */
const plain = (object: Manifest): unknown => {
  const labels = Object.entries(texts(at(object, 'metadata.labels'))).filter(([name]) => !onlyHelms.includes(name));
  const data = Object.entries(texts(object.data)).map(([key, text]) => [key, parse(text)] as const);
  const { metadata: _, ...others } = JSON.parse(JSON.stringify(object), (key, value) =>
    key === 'annotations' ? undefined : value,
  );
  return { ...others, name: at(object, 'metadata.name'), labels: Object.fromEntries(labels), data: Object.fromEntries(data) };
};

const sorted = (objects: readonly Manifest[]): readonly unknown[] =>
  objects.toSorted((a, b) => (named(a) < named(b) ? -1 : 1)).map(plain);

const built = async (kustomize: string, overlay: string): Promise<readonly Manifest[]> => {
  const { code, stdout, stderr } = await execute(kustomize, ['build', join(folder, 'overlays', overlay)]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return documentsOf(stdout);
};

describeWith(['helm', 'kustomize'], 'the overlay', (helm = '', kustomize = '') => {
  test.each(overlays)('$overlay is what the chart makes', async ({ overlay, values }) => {
    const given = { ...values, fullnameOverride: 'snowgauge', tests: { enabled: false } };
    const ofChart = await objectsOf(helm, { release: 'snowgauge', namespace: 'default', values: given });
    expect(sorted(await built(kustomize, overlay))).toEqual(sorted(ofChart));
  });

  test.each(overlays)('$overlay holds a configuration that snowgauge takes', async ({ overlay }) => {
    const map = (await built(kustomize, overlay)).find(({ kind }) => kind === 'ConfigMap');
    const text = texts(map?.data)['snowgauge.yaml'];
    expect(text).toContain('targets:');
    const parsed = await parseConfig(text ?? '', { SNOWGAUGE_POD_NAME: 'pod-0', SNOWGAUGE_POD_NAMESPACE: 'default' });
    expect(parsed.kind === 'invalid' ? parsed.mistakes : []).toEqual([]);
  });
});
