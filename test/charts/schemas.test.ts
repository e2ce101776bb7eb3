// Everything that the chart and the plain manifests make, against the strict schemas of the newest Kubernetes and of the monitors.
// schemas.long.test.ts has those before it.

import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { at, chart, documentsOf, execute, helmTemplate, inFolder, kubernetesVersions, named, root } from '../support/chart.ts';
import { describeUnless } from '../support/tools.ts';
import { examples, findings, helm, kustomize, obstacle, renderedOf, schemasSuite } from './schemas-suite.ts';

const [newest = ''] = kubernetesVersions.slice(-1);
schemasSuite([newest]);

describeUnless(obstacle, 'the manifests', () => {
  test.each([...examples.map((name) => join(chart, 'examples', name)), join(root, 'test/fixtures/chart/everything.yaml')])(
    'and so are those of %s with labels of all kinds to kustomize, which takes no key twice',
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
