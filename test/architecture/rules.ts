// Rules on files besides the import table. Each returns a message per violation.

import { transformSync } from 'esbuild';
import { importsOf, type Sources } from './sources.ts';

const isCode = (file: string): boolean => /^(?:src|test|scripts|bench|dashboards)\/.*\.(?:ts|mjs)$/.test(file);
const isSource = (file: string): boolean => file.startsWith('src/') && file.endsWith('.ts');

/** Tests may be longer because they are tables. */
const longestOf = (file: string): number => (file.startsWith('test/') ? 400 : 250);

export const tooLong = (sources: Sources): readonly string[] =>
  [...sources]
    .filter(([file]) => isCode(file))
    .map(([file, text]) => ({ file, lines: text.split('\n').length - 1 }))
    .filter(({ file, lines }) => lines >= longestOf(file))
    .map(({ file, lines }) => `${file} has ${lines} lines: ${longestOf(file)} is the end`);

/** esbuild's define replaces only the global, not a local name or text in strings, comments and types. */
export const touchesProcess = (sources: Sources): readonly string[] =>
  [...sources]
    .filter(([file, text]) => isSource(file) && file !== 'src/main.ts' && /\bprocess\b/.test(text))
    .filter(([file, text]) => {
      const define = { process: '__process__', 'globalThis.process': '__process__' };
      const { code } = transformSync(text, { loader: 'ts', format: 'esm', define });
      const named = importsOf(file, text).some(({ specifier }) => /^(?:node:)?process$/.test(specifier));
      return named || code.includes('__process__');
    })
    .map(([file]) => `${file} touches process: only src/main.ts does`);

/** Reports each import cycle once, from its alphabetically first file; type imports count too. */
export const cycles = (sources: Sources): readonly string[] => {
  const graph = new Map(
    [...sources]
      .filter(([file]) => isSource(file))
      .map(([file, text]) => [file, importsOf(file, text).flatMap((found) => found.file ?? [])] as const),
  );
  const found = new Set<string>();
  const done = new Set<string>();
  const visit = (file: string, path: readonly string[]): void => {
    const start = path.indexOf(file);
    if (start >= 0) found.add(turned(path.slice(start)));
    if (start >= 0 || done.has(file)) return;
    for (const next of graph.get(file) ?? []) visit(next, [...path, file]);
    done.add(file);
  };
  for (const file of graph.keys()) visit(file, []);
  return [...found];
};

const turned = (cycle: readonly string[]): string => {
  const first = cycle.indexOf([...cycle].sort()[0] ?? '');
  return [...cycle.slice(first), ...cycle.slice(0, first + 1)].join(' -> ');
};

/** An undeclared dependency would be missing from an installed snowgauge. */
export const undeclared = (sources: Sources, dependencies: readonly string[]): readonly string[] =>
  [...sources]
    .filter(([file]) => isSource(file))
    .flatMap(([file, text]) => importsOf(file, text).map(({ specifier }) => ({ file, specifier })))
    .filter(({ specifier }) => !specifier.startsWith('.') && !specifier.startsWith('node:'))
    .map(({ file, specifier }) => ({ file, name: specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/') }))
    .filter(({ name }) => !dependencies.includes(name))
    .map(({ file, name }) => `${file} imports ${name}, which is not among the dependencies`);

/**
 * Fixtures are copied to test/fixtures, so that a clone is self-contained. The name is split here so that it does not match
 * itself.
 */
const foreign = new RegExp(`\\b${['sha', 'red'].join('')}/`);

export const readsForeignFolder = (sources: Sources): readonly string[] =>
  [...sources].filter(([, text]) => foreign.test(text)).map(([file]) => `${file} names a folder outside the project`);

const declaration = /^export (?:declare )?(?:abstract )?(?:async )?(?:const|let|function\*?|type|interface|class) (\w+)/gm;
/** Matches `export { a, b };` and `export const [a, b] =`. */
const declarations = /^export (?:(?:type )?\{([^}]*)\};|const \[([^\]]*)\] =)/gm;

/** The names that a file declares and exports, including types but not re-exports. */
export const exportedNames = (text: string): readonly string[] => [
  ...Array.from(text.matchAll(declaration), ([, name]) => name ?? ''),
  ...Array.from(text.matchAll(declarations), ([, list, values]) => list ?? values ?? '').flatMap((list) =>
    list
      .split(',')
      .map((one) =>
        one
          .trim()
          .replace(/^type /, '')
          .replace(/^.*\sas\s+/, ''),
      )
      .filter((one) => one !== ''),
  ),
];

/** An exported name has one meaning in all of src. */
export const twoMeanings = (sources: Sources): readonly string[] => {
  const files = new Map<string, string[]>();
  for (const [file, text] of sources) {
    if (!isSource(file)) continue;
    // A schema and its inferred type share one name.
    for (const name of new Set(exportedNames(text))) files.set(name, [...(files.get(name) ?? []), file]);
  }
  const several = [...files].filter(([, found]) => found.length > 1);
  return several.map(([name, found]) => `${name} is exported by ${found.join(' and ')}`);
};

/** Former names that the terms of the glossary replaced. */
const formerName =
  /\b(?:const|let|function|class|interface|type)\s+(keepTime|heart|beat|[lL]ook|Seen|misfits|emptyLooks|Movement|Stillness|anew|[cC]adence|[vV]erdict|Blow|strike|conduct|peace|bend|spoiled|misbehave|complain|Mistake|(?:most|usual)[A-Z]\w*)\b/g;

export const formerNames = (sources: Sources): readonly string[] =>
  [...sources]
    .filter(([file]) => isSource(file))
    .flatMap(([file, text]) => Array.from(text.matchAll(formerName), ([, name]) => `${file} has the name ${name}`));
