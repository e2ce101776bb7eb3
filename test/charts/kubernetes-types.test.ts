// The Kubernetes types in the schema of the values: equal to the newest version, with every field of the older ones.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { kubernetesJson } from '../../scripts/chart/kubernetes.mjs';
import { at, kubernetesVersions, root } from '../support/chart.ts';
import { describeUnless, toolCache } from '../support/tools.ts';

const schemas = join(toolCache, 'schemas');
const missing = ['gateway', 'monitoring', ...kubernetesVersions.map((version) => `v${version}`)].filter(
  (folder) => !existsSync(join(schemas, folder)),
);
const committed = readFileSync(join(root, 'scripts/chart/kubernetes.json'), 'utf8');

describeUnless(
  missing.length === 0 ? undefined : `not installed: ${missing.join(', ')}`,
  'the Kubernetes types of the values schema',
  () => {
    test('are those of the newest version (else: node scripts/chart/kubernetes.mjs ~/.cache/snowgauge/schemas)', () => {
      expect(committed).toBe(kubernetesJson(schemas));
    });

    test.each(kubernetesVersions)('have every field of Kubernetes %s', (version) => {
      const { definitions } = JSON.parse(readFileSync(join(schemas, `v${version}`, 'pod-v1.json'), 'utf8'));
      const types: unknown = JSON.parse(committed);
      let compared = 0;
      for (const [name, type] of Object.entries(definitions)) {
        const ours: unknown = at(types, name.split('.').at(-1) ?? '');
        if (ours === undefined) continue;
        compared += 1;
        const fields = Object.keys(at(type, 'properties') ?? {});
        expect(Object.keys(at(ours, 'properties') ?? {}), name).toEqual(expect.arrayContaining(fields));
      }
      expect(compared).toBeGreaterThan(50);
    });
  },
);
