// Validates all manifests for the newest Kubernetes version; schemas.long.test.ts covers the older ones.

import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { at, chart, documentsOf, execute, helmTemplate, inFolder, kubernetesVersions, named, root } from '../support/chart.ts';
import { describeUnless } from '../support/tools.ts';
import { examples, findings, helm, kustomize, obstacle, renderedOf, schemasSuite } from './schemas-suite.ts';

const [newest = ''] = kubernetesVersions.slice(-1);
schemasSuite([newest]);

describeUnless(obstacle, 'the validation of manifests', () => {
  test.each([...examples.map((name) => join(chart, 'examples', name)), join(root, 'test/fixtures/chart/everything.yaml')])(
    'accepts %s with labels from all sources in kustomize, which rejects duplicate keys',
    async (file) => {
      await inFolder(async (folder) => {
        const rendered = await renderedOf(file, newest);
        await writeFile(join(folder, 'all.yaml'), rendered);
        await writeFile(join(folder, 'kustomization.yaml'), 'resources: [all.yaml]\n');
        const { code, stderr } = await execute(kustomize ?? '', ['build', folder]);
        expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
        const ours = documentsOf(rendered).filter((object) => at(object, 'metadata.labels') !== undefined);
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
    { what: 'a misspelt field', from: 'restartPolicy: Always', to: 'restartPolicyy: Always', where: 'restartPolicyy' },
    { what: 'an invalid interval', from: 'interval: 30s', to: 'interval: banana', where: 'interval' },
    { what: 'a string as a port', from: 'containerPort: 9652', to: 'containerPort: high', where: 'containerPort' },
    { what: 'an unknown kind', from: 'kind: StatefulSet', to: 'kind: StatefulSets', where: 'schema' },
  ])('reports $what', async ({ from, to, where }) => {
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
