// A heap size set in a plain manifest must be the same share of the container's memory limit as in the chart.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import { at, documentsOf, root } from '../support/chart.ts';

const share = /\(mul \(int64 \$limit\) (\d+)\) 104857600/.exec(
  readFileSync(join(root, 'charts/snowgauge/templates/_fleet.tpl'), 'utf8'),
)?.[1];

const container = z.object({
  env: z._default(z.array(z.object({ name: z.string(), value: z.optional(z.string()) })), []),
  resources: z.object({ limits: z.object({ memory: z.string().check(z.regex(/^\d+Mi$/)) }) }),
});

const heapOf = (env: z.output<typeof container>['env']): string | undefined =>
  env.find(({ name, value }) => name === 'NODE_OPTIONS' && value?.includes('--max-old-space-size='))?.value;

const files = readdirSync(join(root, 'deploy'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.yaml'))
  .map((file) => ({ file, text: readFileSync(join(root, 'deploy', file), 'utf8') }))
  .filter(({ text }) => text.includes('--max-old-space-size='));

const heaps = files.flatMap(({ file, text }) =>
  documentsOf(text)
    .flatMap((document) => z.safeParse(z.array(container), at(document, 'spec.template.spec.containers')).data ?? [])
    .flatMap(({ env, resources: { limits } }) => {
      const heap = heapOf(env);
      return heap === undefined ? [] : [{ file, heap, limit: limits.memory }];
    }),
);

test('every manifest with a heap size sets a memory limit in the same container', () => {
  expect(files.length).toBeGreaterThan(0);
  expect(heaps.map(({ file }) => file)).toEqual(files.map(({ file }) => file));
});

test.each(heaps)('$file: $heap of $limit', ({ heap, limit }) => {
  expect(heap).toBe(`--max-old-space-size=${Math.floor((Number.parseInt(limit, 10) * Number(share)) / 100)}`);
});
