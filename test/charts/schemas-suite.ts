// Validates everything that the chart and the plain manifests render against the strict schemas of a Kubernetes version and the
// monitors.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { groupBy } from '../../src/lists.ts';
import { chart, execute, helmTemplate, inFolder, kubernetesVersions, root, withParent } from '../support/chart.ts';
import { codeBlocks } from '../support/markdown.ts';
import { describeUnless, toolCache, toolPath } from '../support/tools.ts';

export const examples = readdirSync(join(chart, 'examples')).filter((name) => name.endsWith('.yaml'));
const overlays = readdirSync(join(root, 'deploy/kubernetes/overlays'));
const schemas = join(toolCache, 'schemas');
const folders = ['monitoring', 'gateway', ...kubernetesVersions.map((version) => `v${version}`)];

export const [helm, kubeconform, kustomize] = ['helm', 'kubeconform', 'kustomize'].map(toolPath);
const missing = [
  ...Object.entries({ helm, kubeconform, kustomize }).flatMap(([name, path]) => (path === undefined ? [name] : [])),
  ...folders.filter((folder) => !existsSync(join(schemas, folder))).map((folder) => `schemas of ${folder}`),
];

/** Injection requires 1.34, the admission policy for pod labels 1.30. */
const isFor = (example: string, version: string): boolean =>
  (!example.includes('injection') || Number(version.split('.')[1]) >= 34) &&
  (!example.includes('-labels') || Number(version.split('.')[1]) >= 30);

const templates = readdirSync(join(chart, 'templates'), { recursive: true, encoding: 'utf8' })
  .filter((name) => /\.(?:yaml|tpl)$/.test(name))
  .map((name) => readFileSync(join(chart, 'templates', name), 'utf8'));
/** The minor versions at which the output changes: those in the templates and in `isFor`. */
const changes = new Set([
  ...templates.flatMap((text) => Array.from(text.matchAll(/semverCompare "\D*1\.(\d+)/g), ([, minor]) => Number(minor))),
  ...[30, 34],
]);

/** Groups versions with the same output, so that it is rendered once and validated for each. */
const stretchesOf = (versions: readonly string[]) =>
  groupBy(versions, (version) => String([...changes].filter((minor) => minor <= Number(version.split('.')[1])).length));

interface Finding {
  readonly filename: string;
  readonly kind: string;
  readonly status: string;
  readonly msg: string;
}

/** Findings of kubeconform in a folder. -strict also reports unknown fields. */
export const findings = async (
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

/** Labels from several sources, added to each example. */
const commonLabels = { team: 'validators', release: 'common', 'app.kubernetes.io/part-of': 'mine', 'helm.sh/chart': 'mine' };
const labelled = { commonLabels, podLabels: { team: 'own' }, monitoring: { labels: { release: 'stack' } } };
const commonly = (file: string): object =>
  /^mode: sidecar/m.test(readFileSync(file, 'utf8')) ? { ...labelled, podLabels: {} } : labelled;

const made = new Map<string, Promise<string>>();
/** Renders an example with these labels, once for all tests. */
export const renderedOf = (file: string, version: string): Promise<string> => {
  const key = `${version} ${file}`;
  const text = made.get(key) ?? renderValues(file, version);
  made.set(key, text);
  return text;
};

const renderValues = async (file: string, version: string): Promise<string> => {
  const { code, stdout, stderr } = await helmTemplate(helm ?? '', { files: [file], values: commonly(file), kubernetes: version });
  expect({ file, code, stderr }).toEqual({ file, code: 0, stderr: '' });
  return stdout;
};

const writeValues = async (folder: string, version: string, file: string): Promise<void> =>
  writeFile(join(folder, `chart-${basename(file)}`), await renderedOf(file, version));

/** Rendered for each version: the templates may compare versions in ways that `changes` does not find. */
const renderEverything = (folder: string, version: string): Promise<void> =>
  writeValues(folder, version, join(root, 'test/fixtures/chart/everything.yaml'));

const render = async (folder: string, version: string): Promise<void> => {
  const values = examples.filter((name) => isFor(name, version)).map((name) => join(chart, 'examples', name));
  await Promise.all(values.map((file) => writeValues(folder, version, file)));
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

export const obstacle = missing.length === 0 ? undefined : `not installed: ${missing.join(', ')}`;

/** Each test runs helm about forty times. */
export const schemasSuite = (versions: readonly string[]): void =>
  describeUnless(obstacle, 'manifests are valid', () => {
    const stretches = stretchesOf(versions).map((all) => ({ all, first: all[0], title: all.join(', ') }));

    test.each(stretches)('for Kubernetes $title', async ({ all, first }) => {
      await inFolder(async (folder) => {
        await render(folder, first);
        for (const version of all) {
          await renderEverything(folder, version);
          const { seen, wrong } = await findings(folder, version);
          expect(wrong, version).toEqual([]);
          // No object was skipped.
          expect(seen).toBeGreaterThan(40);
        }
      });
    });

    test.each(stretches)('in the examples of docs/kubernetes.md, for Kubernetes $title', async ({ all, first }) => {
      await inFolder(async (folder) => {
        const blocks = codeBlocks(readFileSync(join(root, 'docs/kubernetes.md'), 'utf8'), 'yaml').filter((block) =>
          isFor(block, first),
        );
        expect(blocks.length).toBeGreaterThan(5);
        await Promise.all(
          blocks.map(async (block, number) => {
            const isManifest = block.startsWith('apiVersion:');
            const { code, stdout, stderr } = isManifest
              ? { code: 0, stdout: block, stderr: '' }
              : await helmTemplate(helm ?? '', { values: parse(block), kubernetes: first });
            expect({ block, code, stderr }).toEqual({ block, code: 0, stderr: '' });
            await writeFile(join(folder, `${number}.yaml`), stdout);
          }),
        );
        for (const version of all) {
          const { seen, wrong } = await findings(folder, version);
          expect(wrong, version).toEqual([]);
          expect(seen).toBeGreaterThan(blocks.length);
        }
      });
    });
  });
