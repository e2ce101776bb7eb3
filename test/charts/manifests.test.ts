// The plain manifests equal the output of the chart.

import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { parseConfig } from '../../src/config/load.ts';
import { at, documentsOf, execute, inFolder, type Manifest, named, objectsOf, root, texts } from '../support/chart.ts';
import { describeWith } from '../support/tools.ts';

const folder = join(root, 'deploy/kubernetes');
const config = (path: string): unknown => parse(readFileSync(join(folder, path, 'snowgauge.yaml'), 'utf8'));

/** The kustomization that docs/kubernetes.md shows for one's own pods. */
const documentedKustomization =
  /^ {4}resources: \[validator\.yaml\]\n(?: {4}.*\n)+/m.exec(readFileSync(join(root, 'docs/kubernetes.md'), 'utf8'))?.[0] ?? '';

/** The kustomization that it shows for a locally built image. */
const documentedImage =
  /^ {4}resources: \[\.\.\/snowgauge\/.*\n(?: {4}.*\n)+/m.exec(readFileSync(join(root, 'docs/kubernetes.md'), 'utf8'))?.[0] ?? '';

const injected = { 'snowgauge.io/sidecar': 'snowgauge' };

const overlays = [
  { overlay: 'fleet', values: { mode: 'fleet' } },
  // With the node of mode demo and the Service of mode sidecar.
  { overlay: 'sidecar', values: { mode: 'demo', podLabels: injected, config: config('overlays/sidecar') } },
  { overlay: 'sidecar-labels', values: { mode: 'demo', podLabels: injected, config: config('overlays/sidecar-labels') } },
];

const onlyOnes = ['helm.sh/chart', 'app.kubernetes.io/managed-by', 'snowgauge.io/inject'];

/** Removes the namespace from a policy: Helm knows it, kustomize does not, so both name it differently. */
const anywhere = (policy: Manifest): Manifest => {
  const { namespaceSelector: _, ...matchConstraints } = Object(at(policy, 'spec.matchConstraints'));
  const spec = { ...Object(policy.spec), matchConstraints, matchConditions: [] };
  return { ...policy, spec };
};

/** Removes host names with the namespace, which only Helm knows. */
const withoutOwnHosts = (value: unknown): unknown =>
  Array.isArray(value) ? value.filter((one) => Object(one).name !== 'SNOWGAUGE_OWN_HOSTS') : value;

/** Less what only one of them has: its labels, the namespace that kubectl gives, a pod's checksums. The configuration as what it says. */
const plain = (given: Manifest): unknown => {
  const object = given.kind === 'ValidatingAdmissionPolicy' ? anywhere(given) : given;
  const labels = Object.entries(texts(at(object, 'metadata.labels'))).filter(([name]) => !onlyOnes.includes(name));
  const data = Object.entries(texts(object.data)).map(([key, text]) => [key, parse(text)] as const);
  const { metadata: _, ...others } = JSON.parse(JSON.stringify(object), (key, value) =>
    key === 'annotations' ? undefined : withoutOwnHosts(value),
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

describeWith(['helm', 'kustomize'], 'the kustomize overlay', (helm = '', kustomize = '') => {
  test.each(overlays)('$overlay equals the output of the chart', async ({ overlay, values }) => {
    const given = { ...values, fullnameOverride: 'snowgauge', tests: { enabled: false } };
    const made = (more: object) => objectsOf(helm, { release: 'snowgauge', namespace: 'default', values: { ...given, ...more } });
    const service = (object: Manifest): boolean => named(object) === 'Service snowgauge';
    const mode = values.mode === 'demo' ? { mode: 'sidecar', podLabels: {}, config: {} } : {};
    const ofChart = [...(await made({})).filter((object) => !service(object)), ...(await made(mode)).filter(service)];
    // The chart puts the namespace into cluster-wide names.
    const text = JSON.stringify(sorted(ofChart)).replace(/snowgauge-default-(pod-labels|discovery)/g, 'snowgauge-$1');
    expect(sorted(await built(kustomize, overlay))).toEqual(JSON.parse(text));
  });

  test('is optional: the component adds the sidecar to other pods, with their own configuration', async () => {
    await inFolder(async (own) => {
      const component = relative(own, join(folder, 'components/sidecar'));
      const metadata = { name: 'mine', labels: { 'snowgauge.io/inject': 'true' } };
      const template = { metadata: { labels: { app: 'mine' } }, spec: { containers: [{ name: 'avalanchego', image: 'a' }] } };
      const spec = { selector: { matchLabels: { app: 'mine' } }, template };
      const documented: Manifest = parse(documentedKustomization);
      const files = {
        'validator.yaml': { apiVersion: 'apps/v1', kind: 'Deployment', metadata, spec },
        'snowgauge.yaml': { targets: [{ name: 'mine', url: 'http://127.0.0.1:9650' }] },
        'kustomization.yaml': { ...documented, components: [component] },
      };
      await Promise.all(Object.entries(files).map(([name, value]) => writeFile(join(own, name), JSON.stringify(value))));
      const { code, stdout, stderr } = await execute(kustomize, ['build', own]);
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      const objects = documentsOf(stdout);
      const pods = objects.find(({ kind }) => kind === 'Deployment');
      expect(at(pods, 'spec.template.spec.containers')).toMatchObject([{ name: 'avalanchego' }, { name: 'snowgauge' }]);
      expect(at(pods, 'spec.template.metadata.labels')).toMatchObject(injected);
      const config = objects.find(({ kind }) => kind === 'ConfigMap');
      // Without a content hash in the name: changing the configuration must not roll the node.
      const name = 'snowgauge-config';
      expect(at(config, 'metadata.name')).toBe(name);
      expect(at(pods, 'spec.template.spec.volumes')).toMatchObject([{ configMap: { name } }, { name: 'snowgauge-pod' }]);
      expect(
        at(
          objects.find(({ kind }) => kind === 'Service'),
          'spec.selector',
        ),
      ).toEqual(injected);
      expect(texts(config?.data)['snowgauge.yaml']).toContain('mine');
    });
  });

  test.each(overlays)('$overlay runs the image that a kustomization in docs/kubernetes.md sets', async ({ overlay }) => {
    await inFolder(async (own) => {
      const documented: Manifest = parse(documentedImage);
      const resources = [relative(own, join(folder, 'overlays', overlay))];
      await writeFile(join(own, 'kustomization.yaml'), JSON.stringify({ ...documented, resources }));
      const { code, stdout, stderr } = await execute(kustomize, ['build', own]);
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(new Set(stdout.match(/(?<=image: )\S+/g))).toEqual(new Set(['localhost/snowgauge:dev']));
    });
  });

  test.each(overlays)('$overlay has a valid configuration', async ({ overlay }) => {
    const map = (await built(kustomize, overlay)).find(({ kind }) => kind === 'ConfigMap');
    const text = texts(map?.data)['snowgauge.yaml'];
    expect(text).toMatch(/^(?:targets|discovery):/m);
    const parsed = await parseConfig(text ?? '', { SNOWGAUGE_POD_NAME: 'pod-0', SNOWGAUGE_POD_NAMESPACE: 'default' });
    expect(parsed.kind === 'invalid' ? parsed.errors : []).toEqual([]);
  });
});
