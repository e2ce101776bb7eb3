// Converts a list from YAML to JSON, which is much faster to parse. Converts piece by piece where that is equivalent, because the YAML
// library needs a hundred times the memory of the text.

import { readYaml } from '../../yaml/read.ts';

export type JsonResult =
  | { readonly kind: 'ok'; readonly json: string }
  /** One line, without any content of the text. */
  | { readonly kind: 'invalid'; readonly reason: string };

export interface JsonLimits {
  /** Characters of the YAML. */
  readonly text: number;
  /** Characters of the JSON: an alias can expand to any number. */
  readonly json: number;
  /** Characters of a piece, which is then extended to the end of a group. */
  readonly piece: number;
  /** Lexemes of a piece. */
  readonly lexemes: number;
  /** Characters of a lexeme. */
  readonly characters: number;
}

const mebibyte = 1024 * 1024;

/** 20,000 groups with two labels each are 1 MiB, and 16,000 addresses in one group 96,000 lexemes. */
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
    // Whatever it is.
    if (!Array.isArray(value)) return { kind: 'ok', json: 'null' };
    // Checked before it is converted to text, which could be endless.
    if (charactersOf(value) > limits.json) return tooLong;
    const json = JSON.stringify(value);
    length += json.length;
    if (length > limits.json) return tooLong;
    if (value.length > 0) parts.push(json.slice(1, -1));
    linesBefore += piece.split('\n').length - 1;
  }
  return { kind: 'ok', json: `[${parts.join(',')}]` };
};

/** The length of a value with aliases: an aliased value is in memory once, but would be written each time. */
const charactersOf = (value: unknown): number => {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 1;
  return Object.entries(value).reduce((sum, [key, one]) => sum + key.length + charactersOf(one), 0);
};

/** Texts that cannot be split: those with anchors, aliases, directives, or an end of document. */
const together = /(?:^|[\s[{,:])[&*]|(?:^|\n)(?:%|\.\.\.)/;

/** Of some milliseconds: 50 targets, and no aliases that stand for thousands. */
export const isSmall = (text: string): boolean => text.length <= 4096 && !together.test(text);

/** Each but the first begins with an entry of the list: a line that begins so is nothing else, or the text is no list, or no YAML. */
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
