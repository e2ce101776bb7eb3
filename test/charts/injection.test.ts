// The revision of the policy that injects sidecars: each sidecar has the one that it was made by, and the ConfigMap the one of now.

import { expect, test } from 'vitest';
import { parseConfig } from '../../src/config/load.ts';
import { at, type Manifest, objectsOf, texts } from '../support/chart.ts';
import { describeWith } from '../support/tools.ts';

const injecting = { mode: 'sidecar', injection: { enabled: true } };

const find = (objects: readonly Manifest[], kind: string, end: string): Manifest | undefined =>
  objects.find((object) => object.kind === kind && String(at(object, 'metadata.name')).endsWith(end));

const policyOf = (objects: readonly Manifest[]): string =>
  String(at(find(objects, 'MutatingAdmissionPolicy', '-inject'), 'spec.mutations.0.jsonPatch.expression'));

const revisionOf = (objects: readonly Manifest[]): string => texts(find(objects, 'ConfigMap', '-injection')?.data).revision ?? '';

describeWith(['helm'], 'the revision of the injection', (helm = '') => {
  const made = (values: object = {}) => objectsOf(helm, { values: { ...injecting, ...values }, kubernetes: '1.36' });

  test('is that of the ConfigMap, as label and as variable, and the ConfigMap is mounted where snowgauge looks', async () => {
    const objects = await made();
    const revision = revisionOf(objects);
    expect(revision).toMatch(/^[0-9a-f]{12}$/);
    expect(policyOf(objects)).toContain(`path: "/metadata/labels/snowgauge.io~1injection-revision", value: "${revision}"`);
    expect(policyOf(objects)).toContain(`name: "SNOWGAUGE_INJECTION_REVISION", value: "${revision}"`);
    expect(policyOf(objects)).toContain(
      'configMap{name: "test-snowgauge-injection", optional: true}, name: "snowgauge-injection"',
    );
    const parsed = await parseConfig('', {});
    const file = parsed.kind === 'ok' ? parsed.value.kubernetes.injectionRevisionFile : '';
    expect(policyOf(objects)).toContain(`mountPath: "${file.replace(/\/revision$/, '')}", name: "snowgauge-injection"`);
  });

  test.each([
    { value: { image: { tag: '9' } }, is: 'another' },
    { value: { resources: { limits: { memory: '1Gi' } } }, is: 'another' },
    { value: { sidecar: { native: true } }, is: 'another' },
    { value: { extraVolumes: [{ name: 'a', emptyDir: {} }] }, is: 'another' },
    // What the running sidecars take up by themselves, or what is none of theirs.
    { value: { config: { targets: [{ name: 'a', url: 'http://a' }] } }, is: 'the same' },
    { value: { monitoring: { kind: 'PodMonitor' }, commonLabels: { a: 'b' } }, is: 'the same' },
  ])('is $is with $value', async ({ value, is }) => {
    expect(revisionOf(await made(value)) === revisionOf(await made())).toBe(is === 'the same');
  });
});

describeWith(['helm'], 'the expression of the injection', (helm = '') => {
  const made = async (values: object) =>
    policyOf(await objectsOf(helm, { values: { ...injecting, ...values }, kubernetes: '1.36' }));

  // The API server compares the name of each type with the path to it when a pod is created: the policy would fail for each.
  test.each([
    { native: true, list: 'initContainers', other: 'containers' },
    { native: false, list: 'containers', other: 'initContainers' },
  ])('has only types of $list with sidecar.native: $native', async ({ native, list, other }) => {
    const expression = await made({ sidecar: { native } });
    expect(expression).toContain(`env: (variables.url == '' ? [] : [Object.spec.${list}.env{`);
    expect(expression).not.toContain(`Object.spec.${other}`);
  });

  test.each([
    {
      what: 'quantities that are numbers as texts: the values of a map have one type',
      values: { resources: { limits: { cpu: 1, memory: '256Mi' }, requests: { cpu: 0.5 } } },
      holds: 'resources: Object.spec.containers.resources{limits: {"cpu": "1", "memory": "256Mi"}, requests: {"cpu": "0.5"}}',
    },
    {
      what: 'keys that are no names of fields as a map',
      values: {
        extraVolumes: [{ name: 'a', csi: { driver: 'd', volumeAttributes: { 'csi.cert-manager.io/issuer-name': 'b' } } }],
      },
      holds: 'volumeAttributes: {"csi.cert-manager.io/issuer-name": "b"}',
    },
  ])('has $what', async ({ values, holds }) => {
    expect(await made(values)).toContain(holds);
  });
});
