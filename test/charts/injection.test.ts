// The revision of the injection policy: each injected sidecar keeps the one it was injected with, the ConfigMap has the current
// one.

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

describeWith(['helm'], 'the revision of the injection policy', (helm = '') => {
  const made = (values: object = {}) => objectsOf(helm, { values: { ...injecting, ...values }, kubernetes: '1.36' });

  test('is the same in the ConfigMap, label and variable, and the ConfigMap is mounted where snowgauge reads it', async () => {
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
    // Values that running sidecars reload by themselves, or that do not concern them.
    { value: { config: { targets: [{ name: 'a', url: 'http://a' }] } }, is: 'the same' },
    { value: { monitoring: { kind: 'PodMonitor' }, commonLabels: { a: 'b' } }, is: 'the same' },
  ])('is $is with the value $value', async ({ value, is }) => {
    expect(revisionOf(await made(value)) === revisionOf(await made())).toBe(is === 'the same');
  });
});

describeWith(['helm'], 'the CEL expression of the injection policy', (helm = '') => {
  const made = async (values: object) =>
    policyOf(await objectsOf(helm, { values: { ...injecting, ...values }, kubernetes: '1.36' }));

  // When a pod is created, the API server compares each type name with its path: a wrong one would fail every pod.
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
      what: 'numeric quantities as strings, because the values of a map must have one type',
      values: { resources: { limits: { cpu: 1, memory: '256Mi' }, requests: { cpu: 0.5 } } },
      holds: 'resources: Object.spec.containers.resources{limits: {"cpu": "1", "memory": "256Mi"}, requests: {"cpu": "0.5"}}',
    },
    {
      what: 'keys that are not field names as a map',
      values: {
        extraVolumes: [{ name: 'a', csi: { driver: 'd', volumeAttributes: { 'csi.cert-manager.io/issuer-name': 'b' } } }],
      },
      holds: 'volumeAttributes: {"csi.cert-manager.io/issuer-name": "b"}',
    },
  ])('writes $what', async ({ values, holds }) => {
    expect(await made(values)).toContain(holds);
  });
});
