// Large YAML files: parsing in pieces, limits, and memory.

import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { watchFiles } from '../../src/discovery/file/file.ts';
import { parseGroups } from '../../src/discovery/file/groups.ts';
import { jsonInThread } from '../../src/discovery/file/yaml-thread.ts';
import { jsonLimits, yamlToJson } from '../../src/discovery/file/yaml-to-json.ts';
import { cases } from '../support/cases.ts';
import { startRun } from '../support/run-process.ts';
import { following } from './updates.ts';
import { folderOf, put } from './world.ts';

const addressOf = (at: number): string => `10.0.${at >> 8}.${at & 255}:9650`;
const listOf = <T>(count: number, one: (at: number) => T): readonly T[] => Array.from({ length: count }, (_, at) => one(at));
const groups = (count: number): string =>
  listOf(count, (at) => `- targets: [${addressOf(at)}]\n  labels: {a: b, c: d}\n`).join('');
const oneGroup = (count: number): string => `- targets:\n${listOf(count, (at) => `  - ${addressOf(at)}\n`).join('')}`;

const forever = new AbortController().signal;

describe('a list parsed in pieces equals one parsed as a whole:', () => {
  test.each([
    { what: 'groups', text: groups(5) },
    { what: 'groups over several lines', text: '- targets:\n  - a\n  - b\n-\n  targets:\n  - c\n- targets: [d]\n' },
    { what: 'a comment, a document start and CR LF', text: `# - a\r\n---\r\n${groups(3).replaceAll('\n', '\r\n')}` },
    { what: 'only comments', text: '# - a\n# - b\n' },
    {
      what: 'multi-line strings',
      text: '- targets: []\n  labels:\n    a: |\n      - x\n\n      - y\n    b: "c\n      - d"\n- targets: [e]\n',
    },
    { what: 'a string as the whole document', text: '--- |\n- a\n- b\n' },
    { what: 'aliases', text: '- targets: [a]\n  labels: &l {a: b}\n- targets: [c]\n  labels: *l\n' },
    { what: 'aliases beside brackets', text: '- targets: [&a a]\n- targets: [b,*a]\n- {targets: [c,*a]}\n' },
    { what: 'asterisks and ampersands that are not aliases', text: '- targets: [http://a/?b&c, a*]\n- targets: [b&]\n' },
    { what: 'a mapping', text: 'targets:\n- a\n- b\nlabels: {}\n' },
    { what: 'a list within brackets', text: '[\n- a\n- b\n' },
    { what: 'a second document', text: '- targets: [a]\n---\n- targets: [b]\n' },
    { what: 'a document end followed by more', text: '- targets: [a]\n...\n- targets: [b]\n' },
    { what: 'YAML 1.1', text: '%YAML 1.1\n---\n- labels: {a: yes}\n- labels: {a: yes}\n' },
    { what: 'a duplicate key in the last group', text: '- targets: [a]\n\n- labels:\n    a: b\n    a: c\n' },
    { what: 'infinity', text: '- labels: {a: .inf, b: 1.5}\n- labels: {a: -.inf, b: .nan}\n' },
  ])('$what', async ({ text }) => {
    const whole = await yamlToJson(text, { ...jsonLimits, piece: Number.POSITIVE_INFINITY });
    expect(await yamlToJson(text, { ...jsonLimits, piece: 1 })).toEqual(whole);
  });
});

test('labels and addresses keep their text as in Prometheus, and a null label is empty', async () => {
  const text =
    '- targets: [h, 80]\n  labels: {a: 1.10, b: 007, c: 0x10, d: True, e: 12345678901234567890, f: .inf, g: ~, h: null, i: }\n';
  const read = await parseGroups('a.yaml', Buffer.from(text), { signal: forever, alone: (work) => work() });
  const values = { a: '1.10', b: '007', c: '0x10', d: 'True', e: '12345678901234567890', f: '.inf', g: '', h: '', i: '' };
  const found = read.kind === 'ok' ? read.found.map(({ labels }) => Object.fromEntries(labels)) : read;
  expect(found).toEqual(['h', '80'].map((address) => ({ __meta_filepath: 'a.yaml', ...values, __address__: address })));
});

test.each(['# - targets: [a]\n', 'null\n', 'targets: [a]\n'])(
  'text that is not a list is an error, not an empty list: %j',
  async (text) => {
    const read = await parseGroups('a.yaml', Buffer.from(text), { signal: forever, alone: (work) => work() });
    const reason = 'is not a list of target groups: it must be an array: write [] for no targets';
    expect(read).toEqual({ kind: 'invalid', reason });
  },
);

test('accepts a byte order mark', async () => {
  const read = await parseGroups('a.yaml', Buffer.from(`\uFEFF${groups(2)}`), { signal: forever, alone: (work) => work() });
  expect(read.kind === 'ok' ? read.found.map(({ labels }) => labels.get('__address__')) : read).toEqual([0, 1].map(addressOf));
});

test('a list cannot override __meta_filepath and __address__', async () => {
  const text = '- targets: [h]\n  labels: {__meta_filepath: /spoofed, __address__: other}\n';
  const read = await parseGroups('a.yaml', Buffer.from(text), { signal: forever, alone: (work) => work() });
  const found = read.kind === 'ok' ? read.found.map(({ labels }) => Object.fromEntries(labels)) : read;
  expect(found).toEqual([{ __meta_filepath: 'a.yaml', __address__: 'h' }]);
});

test.each([Number.POSITIVE_INFINITY, 1])(
  'rejects a quoted string with a line that looks like a group (piece size %s)',
  async (piece) => {
    const made = await yamlToJson('- targets: ["a\n- b"]\n- targets: [c]\n', { ...jsonLimits, piece });
    expect(made).toMatchObject({ kind: 'invalid', reason: expect.stringContaining('Missing closing') });
  },
);

test('limits the tokens of each piece, not of the file', async () => {
  const limits = { ...jsonLimits, piece: 100, lexemes: 100 };
  expect(await yamlToJson(groups(1000), limits)).toMatchObject({
    kind: 'ok',
    json: expect.stringMatching(/^\[\{.*10\.0\.3\.231:9650.*\]$/),
  });
  expect(await yamlToJson(groups(1000), { ...limits, piece: 100_000 })).toMatchObject({ kind: 'invalid' });
});

describe('rejects', () => {
  test.each([
    {
      what: 'more than 1 MiB',
      text: groups(20_500),
      reason: /^is too large for YAML \(more than 1048576 characters\): write it as JSON$/,
    },
    {
      what: 'a group with too many targets',
      text: oneGroup(20_000),
      reason: /^line \d+: more than 100000 tokens of YAML .*: write it as JSON$/,
    },
    {
      what: 'a string with a million empty lines',
      text: `- |\n x\n${'\n'.repeat(1_000_000)} x\n`,
      reason: /^line \d+: a text of more than 32768 characters: write it as JSON$/,
    },
    {
      what: 'aliases that expand to much JSON',
      text: `- &a ${'x'.repeat(1000)}\n${'- *a\n'.repeat(5000)}`,
      reason: /^is too large for YAML .*as JSON/,
    },
  ])('$what', async ({ text, reason }) => {
    expect(await yamlToJson(text)).toEqual({ kind: 'invalid', reason: expect.stringMatching(reason) });
  });
});

test.each([
  { what: 'parses a small file in the main thread', text: groups(10), threads: 0 },
  { what: 'parses a larger file in a worker thread', text: groups(500), threads: 1 },
  { what: 'parses a small file with aliases in a worker thread', text: '- targets: [&a a]\n- targets: [*a]\n', threads: 1 },
])('$what', async ({ text, threads }) => {
  let begun = 0;
  const alone = <T>(work: () => Promise<T>): Promise<T> => {
    begun += 1;
    return work();
  };
  const read = await parseGroups('a.yaml', Buffer.from(text), { signal: forever, alone });
  expect({ kind: read.kind, begun }).toEqual({ kind: 'ok', begun: threads });
});

test('a worker thread that runs out of memory fails its file', async () => {
  expect(await jsonInThread(groups(15_000), forever, { heapMiB: 8 })).toEqual({
    kind: 'invalid',
    reason: 'is too large for YAML (out of memory): write it as JSON',
  });
});

test('a worker thread that times out fails its file', async () => {
  expect(await jsonInThread(groups(15_000), forever, { seconds: 0 })).toEqual({
    kind: 'invalid',
    reason: 'was not read within 0 s: write it as JSON',
  });
});

test('a worker thread stops when the signal aborts', async () => {
  const stop = new AbortController();
  const made = jsonInThread(groups(15_000), stop.signal);
  stop.abort();
  expect(await made).toMatchObject({ kind: 'invalid' });
});

test('a rejected file is named, and its previous list and other files stay', async () => {
  const folder = await folderOf();
  const [file, other] = [join(folder, 'a.yaml'), join(folder, 'b.yaml')];
  await put(file, groups(1));
  await put(other, oneGroup(500));
  const { finds, fails, recovers } = following((context) =>
    watchFiles({ files: [`${folder}/*.yaml`] }, context, { everyMs: 50, settleMs: 1 }),
  );
  const others = listOf(500, addressOf);
  await finds(addressOf(0), ...others);
  await put(file, groups(20_500));
  await fails(/\/a\.yaml is too large for YAML \(more than 1048576 characters\): write it as JSON$/);
  await finds(addressOf(0), ...others);
  await put(file, groups(300));
  await recovers();
  await finds(...listOf(300, addressOf), ...others);
});

test('a file of 15,000 groups (fewer in npm test) is parsed with a heap of 80 MiB', async () => {
  const count = cases(15_000);
  const folder = await folderOf();
  const [file, list] = [join(folder, 'snowgauge.json'), join(folder, 'list.yaml')];
  await put(list, groups(count));
  const last = { action: 'keep', sourceLabels: ['__address__'], regex: addressOf(count - 1) };
  await put(file, { discovery: { file: [{ files: [list], relabelings: [last] }] } });
  const run = await startRun(file, { NODE_OPTIONS: '--max-old-space-size=80' });
  await run.said(`"added":["${addressOf(count - 1)}"]`);
});
