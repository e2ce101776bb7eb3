// Texts for users have the terms of Prometheus and Kubernetes: metrics, alerts, logs, commands, configuration, page, API, documents, chart.

import { describe, expect, test } from 'vitest';
import { readProject } from '../architecture/sources.ts';
import { banned, findings, linesOf, literalsOf } from './words.ts';

const documents = /^(?:README|CONTRIBUTING|CHANGELOG)\.md$|^docs\/.*\.md$|^(?:deploy|charts)\/.*\.(?:md|yaml|yml|json|tpl|txt)$/;
const code = /^(?:src|dashboards|scripts\/docs)\/.*\.(?:ts|css)$/;

/** Skips released sections, which stay unchanged, and code spans, which may name old names. */
const unreleased = (text: string): string => (text.split(/^## \[\d/m)[0] ?? '').replace(/`[^`\n]*`/g, '');

const files = [...readProject()]
  .filter(([file]) => documents.test(file) || code.test(file))
  .map(([file, text]) => [file, file === 'CHANGELOG.md' ? unreleased(text) : text] as const);

test('texts for users contain no banned phrase', () => {
  expect(files.length).toBeGreaterThan(400);
  const found = files.flatMap(([file, text]) => findings(file, code.test(file) ? literalsOf(text) : linesOf(text)));
  expect(found).toEqual([]);
});

describe('a banned phrase is found', () => {
  test.each([
    { where: 'a string', text: "log.info({}, 'begins anew');", at: 1 },
    { where: 'a string after one with a comment in it', text: "a('// no');\nb('begins anew');", at: 2 },
    { where: 'a template', text: `log.info({}, \`a \${b} begins\nanew\`);`, at: 2 },
    { where: 'a template within a template', text: `say(\`a \${b ? \`begins anew\` : \`\`} c\`);`, at: 1 },
    { where: 'the template after one within another', text: `say(\`a \${b ? \`c\` : \`\`} d\`);\nsay(\`anew\`);`, at: 2 },
    { where: 'a string after an expression with quotes', text: "/['\"]/.test(a);\nsay('anew');", at: 2 },
  ])('in $where', ({ text, at }) => {
    expect(findings('a.ts', literalsOf(text))).toEqual([`a.ts:${at}: "anew": write "again, reset"`]);
  });

  test.each([
    { where: 'a comment', text: '// begins anew\nsay(1); /* anew */' },
    { where: 'a name', text: 'const anew = begin(anew);' },
    {
      where: 'an import',
      text: "import { judge } from '../verdict/verdict.ts';\nconst a = await import('../evidence/evidence.ts');",
    },
    { where: 'a part of a word', text: "say('a renewed, rounded, tellurian reevidenced value, as well as 30 s less');" },
  ])('but not in $where', ({ text }) => {
    expect(findings('a.ts', literalsOf(text))).toEqual([]);
  });
});

test('no two rows ban the same phrase', () => {
  const phrases = banned.map(({ phrase }) => phrase.source);
  expect(phrases).toEqual([...new Set(phrases)]);
});
