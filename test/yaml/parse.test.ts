// Parses YAML with a schema: returns the value, or every error with path and line.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: ${NAME} is what the file says

import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import * as z from 'zod/mini';
import { byteSize, goDuration } from '../../src/protocol/scalars.ts';
import { formatErrors, parseYaml } from '../../src/yaml/parse.ts';
import { distinct } from '../../src/yaml/rules.ts';
import { cases } from '../support/cases.ts';

const schema = z.strictObject({
  port: z.prefault(z.int().check(z.minimum(0), z.maximum(65_535)), 1),
  on: z.optional(z.boolean()),
  ratio: z.optional(z.number()),
  wait: z.optional(goDuration('1s', '1h')),
  size: z.optional(byteSize('1KiB', '1GiB')),
  names: z.optional(z.array(z.string()).check(distinct())),
  either: z.optional(z.union([z.string(), z.strictObject({ a: z.number() })])),
  headers: z.optional(z.record(z.string(), z.string())),
  faults: z.optional(
    z.array(
      z.discriminatedUnion('kind', [
        z.strictObject({ kind: z.literal('fail'), check: z.string() }),
        z.strictObject({ kind: z.literal('hang'), check: z.string() }),
      ]),
    ),
  ),
});

const env = { NUMBER: '8080', YES: 'true', WORDS: 'two words', WAIT: '30s', EMPTY: '' };

const said = async (text: string, variables: Record<string, string> = env): Promise<string> => {
  const parsed = await parseYaml(text, schema, { env: variables });
  return parsed.kind === 'ok' ? JSON.stringify(parsed.value) : formatErrors('f', parsed.errors).trimEnd();
};

describe('parses', () => {
  test.each([
    ['', '{"port":1}'],
    ['# nothing\n', '{"port":1}'],
    ['port: ${NUMBER}', '{"port":8080}'],
    ['{ port: "${NUMBER}", on: "${YES}", ratio: "1${NUMBER}" }', '{"port":8080,"on":true,"ratio":18080}'],
    ['wait: ${WAIT}', '{"port":1,"wait":30}'],
    ['size: 8MiB', '{"port":1,"size":8388608}'],
    [
      'names:\n  - ${NUMBER}\n  - x${WORDS}y\n  - $${NUMBER}\n  - ${EMPTY}',
      '{"port":1,"names":["8080","xtwo wordsy","${NUMBER}",""]}',
    ],
    ['names: [&a x, y]\neither: *a', '{"port":1,"names":["x","y"],"either":"x"}'],
    ['headers: { 404: x }', '{"port":1,"headers":{"404":"x"}}'],
  ])('%j', async (text, value) => {
    expect(await said(text)).toBe(value);
  });
});

describe('reports an error with line, path and fix', () => {
  test.each([
    ['\nprot: 1', 'f:2: prot: unknown key: did you mean port?'],
    ['zzzz: 1', 'f:1: zzzz: unknown key: expected one of port, on, ratio, wait, size, names, either, headers, faults'],
    ['port: a', 'f:1: port: "a" must be a number, not a string'],
    ['port: 1.5', 'f:1: port: 1.5 must be an integer, not a fraction'],
    ['port: 70000', 'f:1: port: 70000 must be at most 65535'],
    ['port:\n', 'f:1: port: has no value: it must be a number: give it one, or leave the key out'],
    ['on: yes', 'f:1: on: "yes" must be true or false, not a string'],
    ['names: a', 'f:1: names: "a" must be a list, not a string: write one as `- …` on a line of its own, or all in [ ]'],
    ['names:\n  - a\n  - 7', 'f:3: names[1]: 7 must be a string, not a number: put it in quotes'],
    ['names:\n  - a\n  - b\n  - a', 'f:4: names[2]: "a" is a duplicate of entry 0'],
    ['wait: 5', 'f:1: wait: 5 is not a duration: write it as 5s'],
    ['wait: "5"', 'f:1: wait: "5" is not a duration: write it as 5s'],
    ['wait: soon', 'f:1: wait: "soon" is not a duration: write it like 30s, 1m30s or 250ms'],
    ['wait: 2h', 'f:1: wait: "2h" must be from 1s to 1h'],
    ['size: 8M', 'f:1: size: "8M" is not a size: write it as 8MiB'],
    ['size: 4096', 'f:1: size: 4096 is not a size: write it as 4096B'],
    ['size: 1B', 'f:1: size: "1B" must be from 1KiB to 1GiB'],
    ['either: 4', 'f:1: either: 4 must be a string or a mapping'],
    ['either:\n  a: x', 'f:2: either.a: "x" must be a number, not a string'],
    ['faults:\n  - kind: fial', 'f:2: faults[0].kind: "fial" must be one of fail, hang: did you mean fail?'],
    ['faults:\n  - check: x', 'f:2: faults[0].kind: is missing: it must be one of fail, hang'],
    ['faults:\n  - kind: fail', 'f:2: faults[0].check: is missing: it must be a string'],
    ['port: 1\nport: 2', 'f:2: port: duplicate key, first on line 1: remove one'],
    ['headers:\n  __proto__: x', 'f:2: headers: the key __proto__ cannot be used'],
    ['? [a]\n: b', 'f:1: a key must be a string'],
    ['either: *nothing', 'f:1: either: refers to an undefined anchor: quote a string that begins with *'],
    ['port: !big 1', 'f:1: tags such as !name are not supported: remove the tag'],
    ['port: 1\n---\nport: 2', 'f:2: a second document begins here (after `---`): only one is allowed'],
    ['just words', 'f:1: "just words" must be a mapping, not a string'],
    [
      'faults:\n  - &a { kind: fail, check: x }\n  - <<: *a\n    kind: hang\n    check: y',
      'f:3: faults[1]["<<"]: unknown key: merge keys are not supported, write the keys of the other mapping here',
    ],
    [
      'faults:\n  - kind: fail\n     check: x',
      'f:2: not YAML: Nested mappings are not allowed in compact mappings: indent this line and the next one alike, and put a text with a colon and a space in quotes',
    ],
    [
      'faults:\n  - kind: fail\n    check: x\n   period: 5s',
      'f:4: not YAML: Sequence item without - indicator: check the indentation here and on the next line, and the quotes and brackets up to here',
    ],
    ['faults:\n  - kind: fail\n  check: x', 'f:3: not YAML: All mapping items must start at the same column'],
    [
      'names:\n  a:b\n  c: d',
      'f:2: not YAML: Implicit keys need to be on a single line: write a space after each colon, and indent the keys of a mapping alike',
    ],
    ['names:\n\t- a', 'f:2: not YAML: Tabs are not allowed as indentation: use spaces'],
    ['either: @x', 'f:1: not YAML: Plain value cannot start with reserved character @: put the text in quotes'],
    [
      '{ port: ${NUMBER} }',
      'f:1: not YAML: Unexpected flow-map-start at node end: put a variable in quotes within { } and [ ], such as "${NAME}"',
    ],
    [
      'names: [${WORDS}]',
      'f:1: not YAML: Missing , or : between flow sequence items: put a variable in quotes within { } and [ ], such as "${NAME}"',
    ],
  ])('%j', async (text, error) => {
    expect(await said(text)).toBe(error);
  });

  test('reports every syntax error', async () => {
    expect((await said('a: [\n b: }\nc: "x')).split('\n').length).toBeGreaterThan(1);
  });
});

describe('never shows the value of an environment variable', () => {
  test.each([
    ['port: ${S}', 'f:1: port: the value of ${S} must be a number, not a string'],
    ['wait: ${S}', 'f:1: wait: the value of ${S} is not a duration: write it like 30s, 1m30s or 250ms'],
    ['wait: ${N}', 'f:1: wait: the value of ${N} is not a duration'],
    ['port: ${N}', 'f:1: port: the value of ${N} must be at most 65535'],
    ['size: x${S}${N}', 'f:1: size: the value of ${S} and ${N} is not a size: write it like 8MiB or 512KiB'],
    ['names:\n  - ${S}\n  - ${S}', 'f:3: names[1]: the value of ${S} is a duplicate of entry 0'],
    ['faults:\n  - kind: ${S}', 'f:2: faults[0].kind: the value of ${S} must be one of fail, hang'],
    ['port: ${UNSET}', 'f:1: port: uses the environment variable UNSET, which is not set'],
    ['port: ${', 'f:1: port: has an incomplete `${`: write ${NAME}, or $${ for a literal ${'],
  ])('%j', async (text, error) => {
    expect(await said(text, { S: 'fail-hunter2', N: '123456789' })).toBe(error);
  });
});

describe('rejects excessive input quickly', () => {
  test.each([
    ['over 4 MiB', `# ${'x'.repeat(4 * 1024 * 1024)}`, 'f: the text is larger than 4194304 bytes'],
    ['lists in lists', '['.repeat(100_000), 'f:1: nested more than 32 levels deep'],
    ['entries in entries', '- '.repeat(1000), 'f:1: nested more than 32 levels deep'],
    ['an anchor that contains itself', 'names: &a [*a, *a, *a]', 'f:1: nested more than 32 levels deep'],
    [
      'aliases of aliases',
      `a: &a [${'x,'.repeat(40)}]\nb: &b [${'*a,'.repeat(40)}]\nc: &c [${'*b,'.repeat(40)}]\nd: [${'*c,'.repeat(40)}]`,
      'f:4: more than 250000 values, with aliases expanded',
    ],
    [
      'a long variable used many times',
      `names:\n${'- ${L}\n'.repeat(20)}`,
      'f:12: the variables named up to here hold more than 1048576 characters',
    ],
  ])('%s', async (_, text, error) => {
    expect(await said(text, { L: 'x'.repeat(100_000) })).toBe(error);
  });
});

test('counts aliases that expand to billions of values before expanding any', async () => {
  const level = (name: string, before: string): string => `${name}: &${name} [${Array(40).fill(`*${before}`).join(',')}]`;
  const text = [
    'a: &a [x,x]',
    level('b', 'a'),
    level('c', 'b'),
    level('d', 'c'),
    ...Array(20)
      .fill('')
      .map((_, at) => level(`e${at}`, at === 0 ? 'd' : `e${at - 1}`)),
  ];
  expect(await said(text.join('\n'))).toBe('f:5: more than 250000 values, with aliases expanded');
});

test('lists the first hundred of thousands of errors', async () => {
  const errors = (
    await said(`names: &n [${'{a: 1},'.repeat(100)}]\n${Array.from({ length: 500 }, (_, at) => `k${at}: *n`).join('\n')}`)
  ).split('\n');
  expect(errors).toHaveLength(101);
  expect(errors.at(-1)).toBe('f: more than 100 errors, showing the first');
});

test('yields to the event loop while parsing a large text', async () => {
  let [turns, isOver] = [0, false];
  const count = (): void => {
    turns += 1;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  expect(await said(`names:\n${Array.from({ length: 20_000 }, (_, at) => `- n${at}\n`).join('')}`)).toContain('n19999');
  isOver = true;
  expect(turns).toBeGreaterThan(10);
});

test.each(['- a\nb: hunter2', 'a: |hunter2\n'])('does not quote invalid YAML: %j', async (text) => {
  const parsed = await parseYaml(text, schema);
  expect(parsed.kind).toBe('invalid');
  expect(JSON.stringify(parsed)).not.toContain('hunter2');
});

test('escapes newlines and control characters of a file in errors', async () => {
  expect(await said('"a\\nb\\e[31m": 1')).toMatch(/^[\x20-\x7e]+$/);
});

test('never throws, whatever the text', async () => {
  const yamlish = fc.array(
    fc.constantFrom(
      'port',
      ':',
      ' ',
      '\n',
      '- ',
      '[',
      ']',
      '{',
      '}',
      '"',
      "'",
      '&a',
      '*a',
      '${',
      '${X}',
      '!',
      '#',
      '---',
      '|',
      '>',
      '? ',
      '%',
      '\t',
      '1',
      ',',
      '<<',
    ),
    { maxLength: 40 },
  );
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(
        fc.string({ unit: 'binary' }),
        yamlish.map((parts) => parts.join('')),
      ),
      async (text) => {
        const parsed = await parseYaml(text, schema, { env: { X: 'x' } });
        return parsed.kind === 'ok' || parsed.errors.length > 0;
      },
    ),
    { numRuns: cases(100) },
  );
});
