// Reads the project's files and their imports.

import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'es-module-lexer';

export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** Path relative to the project root -> text. */
export type Sources = ReadonlyMap<string, string>;

export interface Import {
  /** As written: '../client/outcome.ts', 'zod/mini', 'node:fs'. */
  readonly specifier: string;
  /** Path relative to the project root, for an import of the project. */
  readonly file?: string;
  /** The import is erased at run time. */
  readonly typeOnly: boolean;
  /** The names imported as values; '*' for a namespace or dynamic import. */
  readonly values: readonly string[];
}

/** Every tracked or new text file except package-lock.json and fixtures. */
export const readProject = (): Sources => {
  const list = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { cwd: root, encoding: 'utf8' });
  const files = list.split('\n').filter((file) => file !== '' && existsSync(`${root}/${file}`));
  const read = files.filter((file) => file !== 'package-lock.json' && !file.startsWith('test/fixtures/'));
  return new Map(read.map((file) => [file, readFileSync(`${root}/${file}`, 'utf8')]));
};

export const importsOf = (file: string, text: string): readonly Import[] => {
  const [imports] = parse(text, file);
  return imports.flatMap((found) => {
    if (found.type === 'import-meta' || found.specifier === undefined) return [];
    const { specifier } = found;
    const typeOnly = found.type === 'dynamic' ? found.probablyTypeOnly : found.typeOnly;
    const names = found.type === 'dynamic' ? ['*'] : namesIn(text.slice(found.importStart, found.start));
    const values = typeOnly ? [] : names;
    const known = { specifier, typeOnly: values.length === 0 && !isBare(text, found), values };
    return [specifier.startsWith('.') ? { ...known, file: posix.join(posix.dirname(file), specifier) } : known];
  });
};

/** A side-effect import, such as `import './x.ts'`. */
const isBare = (text: string, found: { readonly importStart: number; readonly start: number }): boolean =>
  /^import\s*['"]$/.test(text.slice(found.importStart, found.start));

/** `import { a, type B, c as d } from '` -> a, c */
const namesIn = (clause: string): readonly string[] => {
  const braces = /\{([^}]*)\}/s.exec(clause);
  const outside = clause.replace(/\{[^}]*\}/s, '').replace(/\b(?:import|export|from)\b|['",\s]/g, '');
  const inside = (braces?.[1] ?? '').split(',').map((name) => name.trim());
  const named = inside
    .filter((name) => name !== '' && !name.startsWith('type '))
    .map((name) => name.split(/\s+as\s+/)[0] ?? name);
  return outside === '' ? named : [...named, outside.startsWith('*') ? '*' : 'default'];
};
