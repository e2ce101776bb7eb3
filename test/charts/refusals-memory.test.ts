// Invalid memory values: limits too small for Node.js to start, and heaps that do not fit into their limit.

import { expect, test } from 'vitest';
import { drawn } from '../support/cases.ts';
import { helmTemplate } from '../support/chart.ts';
import { describeWith } from '../support/tools.ts';

const targets = (count: number): readonly object[] =>
  Array.from({ length: count }, (_, at) => ({ name: `n${at}`, url: `http://n${at}:9650` }));

const refused: readonly { readonly error: string; readonly values: object; readonly said: readonly string[] }[] = [
  ...drawn([
    { memory: 256, says: 'did you mean 256Mi?' },
    { memory: '256', says: 'did you mean 256Mi?' },
    { memory: '256m', says: 'did you mean 256Mi?' },
    { memory: '8Mi', says: 'set at least 64Mi' },
    { memory: '63.9Mi', says: 'set at least 64Mi' },
    { memory: 67_108_863, says: 'set at least 64Mi' },
  ]).flatMap(({ memory, says }) =>
    ['resources', 'node.resources'].map((place) => ({
      error: `${place} of ${typeof memory} ${memory}`,
      values: place === 'resources' ? { resources: { limits: { memory } } } : { node: { resources: { limits: { memory } } } },
      said: [`${place}.limits.memory: ${memory} is too little for Node to start in: ${says}`],
    })),
  ),
  ...drawn(['96Mi', '256Mi', '0.25Gi', '300M', '0.2G', '200000k', '314572800', 314_572_800]).map((memory) => ({
    error: `a heap of 300 MiB in ${typeof memory === 'string' ? memory : 'as many bytes'}`,
    values: { maxHeapMiB: 300, resources: { limits: { memory } } },
    said: ['the values have 1 error(s)', `maxHeapMiB: 300 MiB do not fit into resources.limits.memory`],
  })),
  ...[
    { count: 60, shards: 1, memory: '96Mi', says: '96Mi is too little for 60 targets: set at least 98Mi' },
    { count: 60, shards: null, memory: '96Mi', says: '96Mi is too little for 60 targets: set at least 98Mi' },
    // The targets are not spread evenly over two shards.
    { count: 100, shards: 2, memory: '96Mi', says: '96Mi is too little for 100 targets: set at least 98Mi' },
  ].map(({ count, shards, memory, says }) => ({
    error: `${count} targets in ${memory}, shards: ${shards}`,
    values: { mode: 'fleet', shards, config: { targets: targets(count) }, resources: { limits: { memory } } },
    said: ['the values have 1 error(s)', `resources.limits.memory: ${says}`],
  })),
  {
    error: 'two heap sizes',
    values: { maxHeapMiB: 300, extraEnv: [{ name: 'NODE_OPTIONS', value: '--max-old-space-size=200' }] },
    said: ['maxHeapMiB: extraEnv sets NODE_OPTIONS too'],
  },
];

const allowed: readonly { readonly allowed: string; readonly values: object }[] = [
  ...drawn(['301Mi', '0.3Gi', '315M', '0.32G', '314572801', 400_000_000, '1e3', '0.5e9']).map((memory) => ({
    allowed: `a heap of 300 MiB in ${memory}`,
    values: { maxHeapMiB: 300, resources: { limits: { memory } } },
  })),
  { allowed: 'the default heap with the minimum limit', values: { resources: { limits: { memory: '64Mi' } } } },
  { allowed: 'less than the minimum with allowUnsafe', values: { resources: { limits: { memory: '16Mi' } }, allowUnsafe: true } },
  { allowed: 'a heap without a limit', values: { maxHeapMiB: 300, resources: { requests: { cpu: '10m' } } } },
  { allowed: 'a heap with the default limit of a fleet', values: { mode: 'fleet', maxHeapMiB: 300 } },
  ...[
    { count: 50, shards: 1 },
    { count: 60, shards: 2 },
  ].map(({ count, shards }) => ({
    allowed: `${count} targets in 96Mi, shards: ${shards}`,
    values: { mode: 'fleet', shards, config: { targets: targets(count) }, resources: { limits: { memory: '96Mi' } } },
  })),
  {
    allowed: 'more targets with allowUnsafe',
    values: { mode: 'fleet', config: { targets: targets(60) }, resources: { limits: { memory: '96Mi' } }, allowUnsafe: true },
  },
];

describeWith(['helm'], 'the chart, for memory,', (helm = '') => {
  test.each(refused)('rejects $error', async ({ values, said }) => {
    const { code, stderr } = await helmTemplate(helm, { values: { mode: 'demo', ...values } });
    expect(code).toBe(1);
    for (const words of said) expect(stderr).toContain(words);
  });

  test.each(allowed)('accepts $allowed', async ({ values }) => {
    expect(await helmTemplate(helm, { values: { mode: 'demo', ...values } })).toMatchObject({ code: 0, stderr: '' });
  });
});
