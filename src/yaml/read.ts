// Reads YAML text as plain values with their positions. Only this file, nodes.ts and measure.ts parse with the library yaml.

import type { Document, ParsedNode, YAMLError } from 'yaml';
import { addAll } from '../lists.ts';
import { yieldToEventLoop } from '../pause.ts';
import type { ConfigError } from './error.ts';
import { type Position, readNodes } from './nodes.ts';
import type { Variables } from './variables.ts';

interface YamlValue {
  readonly value: unknown;
  /** By path, as text. */
  readonly positions: ReadonlyMap<string, Position>;
  readonly errors: readonly ConfigError[];
  /** False if the text is not YAML, or exceeds a limit: then there is no value to check. */
  readonly readable: boolean;
}

const limits = { bytes: 4 * 1024 * 1024, depth: 32, nodes: 250_000, expandedCharacters: 1024 * 1024 } as const;

/** Lexemes per iteration of the event loop, some milliseconds of work: while thousands of targets are reloaded, probes must be answered. */
const inOneTurn = 5000;

const unreadable = (errors: readonly ConfigError[]): YamlValue => ({
  value: undefined,
  positions: new Map(),
  errors,
  readable: false,
});

/** For a text that is a part of a larger one. */
interface Part {
  /** Maximum number of lexemes: each costs memory and time. */
  readonly lexemes?: number;
  /** Maximum length of a lexeme: each of its lines costs as much as a lexeme. */
  readonly characters?: number;
  readonly linesBefore?: number;
  /** Numbers and booleans are read as texts: `1.10` is not 1.1. */
  readonly asWritten?: boolean;
}

/** An empty text is an empty mapping. Without `env`, `${NAME}` is not replaced. */
export const readYaml = async (
  text: string,
  env: Variables | undefined,
  { lexemes = Number.POSITIVE_INFINITY, characters = Number.POSITIVE_INFINITY, linesBefore = 0, asWritten = false }: Part = {},
): Promise<YamlValue> => {
  if (text.trim() === '') return { value: {}, positions: new Map(), errors: [], readable: true };
  if (Buffer.byteLength(text) > limits.bytes) {
    return unreadable([{ path: '', message: `the text is larger than ${limits.bytes} bytes` }]);
  }
  // Loaded here, because most processes have no file to read.
  const yaml = await import('./library.ts');
  const lines = new yaml.LineCounter();
  lines.addNewLine(0);
  for (const { index } of text.matchAll(/\n/g)) lines.addNewLine(index + 1);
  const lineAt = (offset: number): number => linesBefore + Math.max(1, lines.linePos(offset).line);

  const composed = await compose(yaml, text, { lexemes, characters });
  if (composed.kind === 'too-much') return unreadable([{ path: '', line: lineAt(composed.offset), message: composed.message }]);
  const { documents } = composed;
  const errors = documents.flatMap((document): readonly YAMLError[] => [...document.errors, ...document.warnings]);
  if (errors.length > 0) {
    // The others of a line follow from its first one.
    const firsts = new Map<number, ConfigError>();
    for (const error of errors) {
      const line = lineAt(error.pos[0]);
      if (!firsts.has(line)) firsts.set(line, { path: '', line, message: syntaxError(error, text) });
    }
    return unreadable([...firsts.values()]);
  }
  const [document, second] = documents;
  if (second !== undefined) {
    const line = lineAt(second.range[0]);
    return unreadable([{ path: '', line, message: 'a second document begins here (after `---`): only one is allowed' }]);
  }
  if (document === undefined || document.contents === null)
    return { value: {}, positions: new Map(), errors: [], readable: true };

  const { value, positions, faults, complete } = readNodes(yaml, document.contents, { env, asWritten, lineAt, limits });
  return { value, positions, errors: faults, readable: complete };
};

const tooDeep = `nested more than ${limits.depth} levels deep`;

/** Stops if the text is nested too deeply, before the composer, which is recursive, gets it. */
const compose = async (
  yaml: typeof import('./library.ts'),
  text: string,
  most: Required<Pick<Part, 'lexemes' | 'characters'>>,
) => {
  const parser = new yaml.Parser();
  // uniqueKeys takes quadratic time in the number of keys, so nodes.ts finds duplicates. Further tags of YAML are not used.
  const composer = new yaml.Composer({ prettyErrors: false, uniqueKeys: false, resolveKnownTags: false });
  const documents: Document.Parsed<ParsedNode>[] = [];
  let lexemes = 0;
  const tooMuch = (message: string) => ({ kind: 'too-much' as const, offset: parser.offset, message });
  for (const lexeme of new yaml.Lexer().lex(text)) {
    lexemes += 1;
    if (lexemes % inOneTurn === 0) await yieldToEventLoop();
    if (lexemes > most.lexemes) return tooMuch(`more than ${most.lexemes} tokens of YAML up to here: write it as JSON`);
    if (lexeme.length > most.characters) return tooMuch(`a text of more than ${most.characters} characters: write it as JSON`);
    for (const token of parser.next(lexeme)) addAll(documents, composer.next(token));
    // A level is a collection, or a sequence and the mapping in its entry.
    if (parser.stack.length > 2 * limits.depth + 2) return tooMuch(tooDeep);
  }
  for (const token of parser.end()) addAll(documents, composer.next(token));
  if (lexemes > inOneTurn) await yieldToEventLoop();
  addAll(documents, composer.end(true, text.length));
  return { kind: 'ok' as const, documents };
};

const syntaxError = (error: YAMLError, text: string): string => {
  if (error.code === 'TAG_RESOLVE_FAILED') return 'tags such as !name are not supported: remove the tag';
  const [at] = error.pos;
  const isVariable = text.startsWith('${', at) || text.startsWith('${', at - 1);
  const remedy = isVariable ? `put a variable in quotes within { } and [ ], such as "\${NAME}"` : remedies[error.code];
  return `not YAML: ${withoutText(error)}${remedy === undefined ? '' : `: ${remedy}`}`;
};

/** For the mistakes that people make, and whose messages are about the grammar. */
const remedies: Partial<Readonly<Record<YAMLError['code'], string>>> = {
  BAD_SCALAR_START: 'put the text in quotes',
  BLOCK_AS_IMPLICIT_KEY: 'indent this line and the next one alike, and put a text with a colon and a space in quotes',
  MISSING_CHAR: 'check the indentation here and on the next line, and the quotes and brackets up to here',
  MULTILINE_IMPLICIT_KEY: 'write a space after each colon, and indent the keys of a mapping alike',
  TAB_AS_INDENT: 'use spaces',
};

/** Messages of the library quote the text, which may be a secret, so they are cut. Only MISSING_CHAR names nothing but characters of YAML. */
const withoutText = ({ code, message }: YAMLError): string =>
  code === 'MISSING_CHAR'
    ? message
    : message.replace(/(?::|\\|"|Unknown directive|Unsupported YAML version).*/s, '').trim() || 'not readable';
