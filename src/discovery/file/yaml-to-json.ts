// Converts a list from YAML to JSON, because JSON is much faster to parse. If the result is the same, the list is converted piece by piece,
// because the YAML library needs a hundred times as much memory as the text.

import { readYaml } from '../../yaml/read.ts';

export type JsonResult =
  | { readonly kind: 'ok'; readonly json: string }
  /** `reason`: one line, without any content of the text. */
  | { readonly kind: 'invalid'; readonly reason: string };

interface JsonLimits {
  /** Maximum length of the YAML in characters. */
  readonly text: number;
  /** Maximum length of the JSON in characters. An alias in YAML can expand to any length. */
  readonly json: number;
  /** Length of a piece in characters. The piece is then extended to the end of a group. */
  readonly piece: number;
  /** Maximum number of lexemes in a piece. */
  readonly lexemes: number;
  /** Maximum length of a lexeme in characters. */
  readonly characters: number;
}

const mebibyte = 1024 * 1024;

/** For comparison: 20,000 groups with two labels each have 1 MiB, and 16,000 addresses in one group have 96,000 lexemes. */
export const jsonLimits: JsonLimits = {
  text: mebibyte,
  json: 4 * mebibyte,
  piece: 32 * 1024,
  lexemes: 100_000,
  characters: 32 * 1024,
};

export const tooLarge = (what: string): JsonResult => ({
  kind: 'invalid',
  reason: `is too large for YAML (${what}): write it as JSON`,
});

export const yamlToJson = async (text: string, limits: JsonLimits = jsonLimits): Promise<JsonResult> => {
  if (text.length > limits.text) return tooLarge(`more than ${limits.text} characters`);
  const tooLong = tooLarge(`more than ${limits.json} characters as JSON`);
  const parts: string[] = [];
  const { lexemes, characters } = limits;
  let [length, linesBefore] = [0, 0];
  for (const piece of piecesOf(text, limits.piece)) {
    const { value, errors } = await readYaml(piece, undefined, { lexemes, characters, linesBefore, asWritten: true });
    const [error] = errors;
    if (error !== undefined) {
      const position = error.line === undefined ? '' : `line ${error.line}: `;
      return { kind: 'invalid', reason: `${position}${error.message}` };
    }
    // Not a list: the reader of the JSON reports the error. Only comments are an error like an empty file, which may be half written.
    if (!Array.isArray(value)) return { kind: 'ok', json: '{}' };
    // Checked before the conversion to text, because aliases could make the text extremely long.
    if (charactersOf(value) > limits.json) return tooLong;
    const json = JSON.stringify(value);
    length += json.length;
    if (length > limits.json) return tooLong;
    if (value.length > 0) parts.push(json.slice(1, -1));
    linesBefore += piece.split('\n').length - 1;
  }
  return { kind: 'ok', json: `[${parts.join(',')}]` };
};

/** Approximate length of a value as JSON. An aliased value is in memory once, but is written for each alias. */
const charactersOf = (value: unknown): number => {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 1;
  return Object.entries(value).reduce((sum, [key, one]) => sum + key.length + charactersOf(one), 0);
};

/** Matches texts that cannot be split: they have anchors, aliases, directives, or an end of document. */
const together = /(?:^|[\s[{,:])[&*]|(?:^|\n)(?:%|\.\.\.)/;

/** Whether the conversion takes only some milliseconds: about 50 targets, and no aliases, which could stand for thousands of values. */
export const isSmall = (text: string): boolean => text.length <= 4096 && !together.test(text);

/**
 * Splits the text. Each piece except the first begins with an entry of the list. Lines that begin with `- ` are always such entries if the
 * text is a valid list.
 */
const piecesOf = (text: string, size: number): readonly string[] => {
  const entry = '\n- ';
  const first = text.startsWith(entry.slice(1)) ? 0 : text.indexOf(entry);
  if (first < 0 || together.test(text)) return [text];
  const pieces: string[] = [];
  let from = 0;
  for (let at = text.indexOf(entry, first + size); at >= 0; at = text.indexOf(entry, at + size)) {
    pieces.push(text.slice(from, at + 1));
    from = at + 1;
  }
  return [...pieces, text.slice(from)];
};
