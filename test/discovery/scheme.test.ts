// The scheme of a target: from the list or a relabeling, else http.

import { expect, test } from 'vitest';
import type { Relabeling } from '../../src/config/relabeling.ts';
import { mergeLists } from '../../src/discovery/merge.ts';
import { relabelWith } from '../../src/discovery/relabel.ts';
import { configOf } from './world.ts';

const secure: Relabeling = {
  action: 'replace',
  sourceLabels: ['__scheme__'],
  regex: 'http',
  targetLabel: '__scheme__',
  replacement: 'https',
};

const cases: readonly {
  readonly title: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly rules: readonly Relabeling[];
  readonly url: string;
}[] = [
  { title: 'it is not set', labels: {}, rules: [], url: 'http://a:1' },
  { title: 'it is empty', labels: { __scheme__: '' }, rules: [], url: 'http://a:1' },
  { title: 'the list says https', labels: { __scheme__: 'https' }, rules: [], url: 'https://a:1' },
  { title: 'a relabeling changes the default', labels: {}, rules: [secure], url: 'https://a:1' },
  {
    title: 'a relabeling drops the label',
    labels: {},
    rules: [{ action: 'labeldrop', regex: '__scheme__' }],
    url: 'http://a:1',
  },
  {
    title: 'the address is a URL',
    labels: { __address__: 'https://proxy/a' },
    rules: [{ action: 'keep', sourceLabels: ['__scheme__'], regex: 'http' }],
    url: 'https://proxy/a',
  },
];

test.each(cases)('the scheme of a target when $title', async ({ labels, rules, url }) => {
  const found = [{ labels: new Map(Object.entries({ __address__: 'a:1', ...labels })) }];
  const list = { source: 'file/0', found, relabel: await relabelWith(rules), results: new WeakMap() };
  const { target: template, maxTargets } = (await configOf({ discovery: { file: [{ files: ['/a.json'] }] } })).discovery;
  const { own } = await mergeLists([list], { template, maxTargets, configured: [], watched: new Set() });
  expect(own.map((one) => one.found.url)).toEqual([url]);
});
