// The documents have no dead relative links.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { anchors, relativeLinks } from '../support/markdown.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

const documents = [
  ...readdirSync(root).filter((name) => name.endsWith('.md')),
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join('docs', name)),
  'charts/snowgauge/README.md',
];

/** Why a link is dead; undefined if it is not. */
const fault = (document: string, link: string): string | undefined => {
  const [path = '', anchor] = link.split('#');
  const target = path === '' ? join(root, document) : join(root, dirname(document), decodeURIComponent(path));
  if (!existsSync(target)) return `${link}: there is no such file`;
  if (anchor === undefined || !target.endsWith('.md')) return undefined;
  return anchors(readFileSync(target, 'utf8')).includes(anchor) ? undefined : `${link}: there is no such heading`;
};

test.each(documents.map((document) => ({ document })))('every link in $document is valid', ({ document }) => {
  const links = relativeLinks(readFileSync(join(root, document), 'utf8'));
  expect(links.flatMap((link) => fault(document, link) ?? [])).toEqual([]);
});

test.each([
  { link: 'README.md', why: undefined },
  { link: 'docs/metrics.md#limits', why: undefined },
  { link: 'docs/nowhere.md', why: 'docs/nowhere.md: there is no such file' },
  { link: 'docs/metrics.md#nowhere', why: 'docs/metrics.md#nowhere: there is no such heading' },
])('the link $link gives: $why', ({ link, why }) => {
  expect(fault('README.md', link)).toBe(why);
});

test('finds links in prose, not in code', () => {
  const text = 'See [a](x.md) and ![b](y.png "title"), not `[c](z.md)` nor [d](https://example.org).\n```\n[e](w.md)\n```\n';
  expect(relativeLinks(text)).toEqual(['x.md', 'y.png']);
});
