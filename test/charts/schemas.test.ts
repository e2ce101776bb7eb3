// Everything that the chart and the plain manifests make, against the strict schemas of each Kubernetes and of the monitors.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import {
  at,
  chart,
  documentsOf,
  execute,
  helmTemplate,
  inFolder,
  kubernetesVersions,
  named,
  root,
  withParent,
} from '../support/chart.ts';
import { codeBlocks } from '../support/markdown.ts';
import { describeUnless, toolCache, toolPath } from '../support/tools.ts';

const examples = readdirSync(join(chart, 'examples')).filter((name) => name.endsWith('.yaml'));
const overlays = readdirSync(join(root, 'deploy/kubernetes/overlays'));
const schemas = join(toolCache, 'schemas');
const folders = ['monitoring', 'gateway', ...kubernetesVersions.map((version) => `v${version}`)];

const [helm, kubeconform, kustomize] = ['helm', 'kubeconform', 'kustomize'].map(toolPath);
const missing = [
  ...Object.entries({ helm, kubeconform, kustomize }).flatMap(([name, path]) => (path === undefined ? [name] : [])),
  ...folders.filter((folder) => !existsSync(join(schemas, folder))).map((folder) => `schemas of ${folder}`),
];

/** Injection is for 1.34 and later, the policy of the labels for 1.30. */
const isFor = (example: string, version: string): boolean =>
  (!example.includes('injection') || Number(version.split('.')[1]) >= 34) &&
  (!example.includes('-labels') || Number(version.split('.')[1]) >= 30);

interface Finding {
  readonly filename: string;
  readonly kind: string;
  readonly status: string;
  readonly msg: string;
}

/** What is wrong with the manifests of a folder. `strict`: a field that the schema does not have is wrong too. */
const findings = async (
  folder: string,
  version: string,
): Promise<{ readonly seen: number; readonly wrong: readonly Finding[] }> => {
  const locations = [`v${version}`, 'monitoring', 'gateway'].flatMap((name) => [
    '-schema-location',
    join(schemas, name, '{{.ResourceKind}}{{.KindSuffix}}.json'),
  ]);
  const args = ['-strict', '-verbose', '-output', 'json', ...locations, folder];
  const { stdout, stderr } = await execute(kubeconform ?? '', args);
  expect(stderr).toBe('');
  const resources: readonly Finding[] = JSON.parse(stdout).resources;
  return { seen: resources.length, wrong: resources.filter(({ status }) => status !== 'statusValid') };
};

/** What several sources of labels say, in each of the examples. */
const commonLabels = { team: 'validators', release: 'common', 'app.kubernetes.io/part-of': 'mine', 'helm.sh/chart': 'mine' };
const labelled = { commonLabels, podLabels: { team: 'own' }, monitoring: { labels: { release: 'stack' } } };
const commonly = (file: string): object =>
  /^mode: sidecar/m.test(readFileSync(file, 'utf8')) ? { ...labelled, podLabels: {} } : labelled;

const render = async (folder: string, version: string): Promise<void> => {
  const fixtures = [join(root, 'test/fixtures/chart/everything.yaml')];
  const values = [...examples.filter((name) => isFor(name, version)).map((name) => join(chart, 'examples', name)), ...fixtures];
  await Promise.all(
    values.map(async (file, number) => {
      const { code, stdout, stderr } = await helmTemplate(helm ?? '', {
        files: [file],
        values: commonly(file),
        kubernetes: version,
      });
      expect({ file, code, stderr }).toEqual({ file, code: 0, stderr: '' });
      await writeFile(join(folder, `chart-${number}.yaml`), stdout);
    }),
  );
  await withParent(helm ?? '', async (parent) => {
    const { code, stdout, stderr } = await helmTemplate(helm ?? '', { chart: parent, kubernetes: version });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    await writeFile(join(folder, 'parent.yaml'), stdout);
  });
  await Promise.all(
    overlays
      .filter((name) => isFor(name, version))
      .map(async (name) => {
        const { code, stdout } = await execute(kustomize ?? '', ['build', join(root, 'deploy/kubernetes/overlays', name)]);
        expect(code).toBe(0);
        await writeFile(join(folder, `overlay-${name}.yaml`), stdout);
      }),
  );
};

describeUnless(missing.length === 0 ? undefined : `not installed: ${missing.join(', ')}`, 'every manifest is one', () => {
  test.each(kubernetesVersions.map((version) => ({ version })))('of Kubernetes $version', async ({ version }) => {
    await inFolder(async (folder) => {
      await render(folder, version);
      const { seen, wrong } = await findings(folder, version);
      expect(wrong).toEqual([]);
      // The objects of each example, and of what has everything: none is passed over.
      expect(seen).toBeGreaterThan(40);
    });
  });

  test.each(kubernetesVersions.map((version) => ({ version })))(
    'and so is every example of docs/kubernetes.md, of $version',
    async ({ version }) => {
      await inFolder(async (folder) => {
        const blocks = codeBlocks(readFileSync(join(root, 'docs/kubernetes.md'), 'utf8'), 'yaml').filter((block) =>
          isFor(block, version),
        );
        expect(blocks.length).toBeGreaterThan(5);
        await Promise.all(
          blocks.map(async (block, number) => {
            const isManifest = block.startsWith('apiVersion:');
            const { code, stdout, stderr } = isManifest
              ? { code: 0, stdout: block, stderr: '' }
              : await helmTemplate(helm ?? '', { values: parse(block), kubernetes: version });
            expect({ block, code, stderr }).toEqual({ block, code: 0, stderr: '' });
            await writeFile(join(folder, `${number}.yaml`), stdout);
          }),
        );
        const { seen, wrong } = await findings(folder, version);
        expect(wrong).toEqual([]);
        expect(seen).toBeGreaterThan(blocks.length);
      });
    },
  );

  test.each([...examples.map((name) => join(chart, 'examples', name)), join(root, 'test/fixtures/chart/everything.yaml')])(
    'and so are those of %s with labels of all kinds to kustomize, which takes no key twice',
    async (file) => {
      await inFolder(async (folder) => {
        const { stdout } = await helmTemplate(helm ?? '', { files: [file], values: commonly(file) });
        await writeFile(join(folder, 'all.yaml'), stdout);
        await writeFile(join(folder, 'kustomization.yaml'), 'resources: [all.yaml]\n');
        const { code, stderr } = await execute(kustomize ?? '', ['build', folder]);
        expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
        const ours = documentsOf(stdout).filter((object) => at(object, 'metadata.labels') !== undefined);
        expect(ours.length).toBeGreaterThan(1);
        for (const object of ours) {
          const isMonitor = /Monitor$|^ScrapeConfig$|^Probe$/.test(String(object.kind));
          const nearest = isMonitor ? { release: 'stack' } : {};
          expect(at(object, 'metadata.labels'), named(object)).toMatchObject({
            team: 'validators',
            'app.kubernetes.io/part-of': 'mine',
            'app.kubernetes.io/name': 'snowgauge',
            ...nearest,
          });
        }
      });
    },
  );

  test.each([
    { what: 'a field that is misspelt', from: 'restartPolicy: Always', to: 'restartPolicyy: Always', where: 'restartPolicyy' },
    { what: 'an interval that is none', from: 'interval: 30s', to: 'interval: banana', where: 'interval' },
    { what: 'a port that is a word', from: 'containerPort: 9652', to: 'containerPort: high', where: 'containerPort' },
    { what: 'an object that there is not', from: 'kind: StatefulSet', to: 'kind: StatefulSets', where: 'schema' },
  ])('and $what is found', async ({ from, to, where }) => {
    await inFolder(async (folder) => {
      const values = { mode: 'demo', monitoring: { kind: 'PodMonitor' }, sidecar: { native: true } };
      const { stdout } = await helmTemplate(helm ?? '', { values });
      expect(stdout).toContain(from);
      await mkdir(join(folder, 'wrong'));
      await writeFile(join(folder, 'wrong', 'all.yaml'), stdout.replace(from, to));
      const { wrong } = await findings(join(folder, 'wrong'), '1.34');
      expect(wrong.map(({ msg }) => msg)).toEqual([expect.stringContaining(where)]);
    });
  });
});
