// Mutations as data, so that fast-check can draw, repeat and shrink them, and their application to a text. Texts are bytes, one per
// character (latin1), so that invalid bytes stay invalid.

import fc from 'fast-check';
import { hostileInstants, hostileNumbers, hostileTexts, hostileValues } from './hostile.ts';
import { type Span, spansOf } from './spans.ts';

/** Mutator, place and choice, each taken modulo the number of possibilities. */
export type Step = readonly [mutator: number, place: number, choice: number];

const natural = fc.nat(0xffffff);

/** `most`: with few steps the text stays mostly valid, so that its reader gets far. */
export const steps = (most = 4): fc.Arbitrary<readonly Step[]> =>
  fc.array(fc.tuple(natural, natural, natural), { minLength: 1, maxLength: most });

/** Maximum length of a mutated text; bodies beyond the size limit have their own tests. */
const longest = 200_000;

/** `others`: texts to take pieces from. */
export const mutated = (text: string, made: readonly Step[], others: readonly string[]): string => {
  let mutant = text;
  for (const step of made) {
    const next = mutateOnce(mutant, step, others);
    // Skips a step that makes the text too long, so that the next ones still apply.
    if (next.length <= longest) mutant = next;
  }
  return mutant;
};

const latin1 = (text: string): string => Buffer.from(text).toString('latin1');
export const pick = <T>(list: readonly T[], at: number): T | undefined => list[at % list.length];
/** Prefers markup, because only few members are shown on the page. */
const text = (at: number): string => latin1(pick(at % 3 === 0 ? hostileTexts.slice(2, 10) : hostileTexts, at >> 2) ?? '');

const replaced = (whole: string, { start, end }: Pick<Span, 'start' | 'end'>, by: string): string =>
  whole.slice(0, start) + by + whole.slice(end);

type Mutator = (whole: string, place: number, choice: number, others: readonly string[]) => string;

const ofSpans =
  (kind: Span['kind'], change: (whole: string, span: Span, choice: number, others: readonly string[]) => string): Mutator =>
  (whole, place, choice, others) => {
    const span = pick(
      spansOf(whole).filter((one) => one.kind === kind),
      place,
    );
    return span === undefined ? whole : change(whole, span, choice, others);
  };

/** A value of the same type, so that it passes the schema. */
const likeIt = (was: string, choice: number): string => {
  if (/^[-0-9]/.test(was)) return pick(hostileNumbers, choice) ?? '';
  if (!was.startsWith('"')) return pick(hostileValues, choice) ?? '';
  if (/^"\d{4}-\d\d-/.test(was) || /^"[\d.]+(?:h|m|s|ms)/.test(was)) return `"${latin1(pick(hostileInstants, choice) ?? '')}"`;
  if (/^"\d+"$/.test(was)) return `"${pick(hostileNumbers, choice)}"`;
  return `"${text(choice)}"`;
};

const anyValue = (choice: number): string => {
  const kind = Math.floor(choice / 7) % 4;
  if (kind === 0) return pick(hostileNumbers, choice) ?? '';
  if (kind === 1) return `"${text(choice)}"`;
  return kind === 2 ? `"${pick(hostileInstants, choice)}"` : (pick(hostileValues, choice) ?? '');
};

const renamed = (member: string, choice: number): string => member.replace(/^"(?:[^"\\]|\\.)*"/s, () => `"${text(choice)}"`);

const structural: readonly Mutator[] = [
  ofSpans('value', (whole, span, choice) => replaced(whole, span, likeIt(whole.slice(span.start, span.end), choice))),
  ofSpans('value', (whole, span, choice) => replaced(whole, span, likeIt(whole.slice(span.start, span.end), choice))),
  ofSpans('value', (whole, span, choice) => replaced(whole, span, anyValue(choice))),
  // Removes a member with its comma.
  ofSpans('member', (whole, span) => {
    const after = /^\s*,/.exec(whole.slice(span.end, span.end + 100))?.[0].length ?? 0;
    return replaced(whole, { start: span.start, end: span.end + after }, '').replace(/,(\s*[}\]])/, '$1');
  }),
  // Duplicates a member, under the same or another name.
  ofSpans('member', (whole, span, choice) => {
    const member = whole.slice(span.start, span.end);
    return replaced(whole, { start: span.end, end: span.end }, `,${choice % 2 === 0 ? member : renamed(member, choice)}`);
  }),
  // Renames a member; prefers objects, as checks are objects.
  ofSpans('member', (whole, span, choice) => replaced(whole, span, renamed(whole.slice(span.start, span.end), choice))),
  (whole, place, choice) => {
    const objects = spansOf(whole).filter(
      ({ kind, start, end }) => kind === 'member' && /^"[^"]*":\{/.test(whole.slice(start, end)),
    );
    const span = pick(objects, place);
    return span === undefined ? whole : replaced(whole, span, renamed(whole.slice(span.start, span.end), choice));
  },
  // Inserts a value of another text.
  ofSpans('value', (whole, span, choice, others) => {
    const other = pick(others, choice) ?? whole;
    const from = pick(
      spansOf(other).filter(({ kind }) => kind === 'value'),
      Math.floor(choice / 7),
    );
    return from === undefined ? whole : replaced(whole, span, other.slice(from.start, from.end));
  }),
  // Adds a member of another text.
  ofSpans('member', (whole, span, choice, others) => {
    const other = pick(others, choice) ?? whole;
    const from = pick(
      spansOf(other).filter(({ kind }) => kind === 'member'),
      Math.floor(choice / 7),
    );
    return from === undefined
      ? whole
      : replaced(whole, { start: span.end, end: span.end }, `,${other.slice(from.start, from.end)}`);
  }),
  // Nests a value.
  ofSpans('value', (whole, span, choice) => {
    const depth = pick([1, 2, 8, 40, 70, 5000], choice) ?? 1;
    const [open, close] = choice % 2 === 0 ? ['[', ']'] : ['{"a":', '}'];
    return replaced(whole, span, open.repeat(depth) + whole.slice(span.start, span.end) + close.repeat(depth));
  }),
  // Multiplies a member.
  ofSpans('member', (whole, span, choice) => {
    const member = whole.slice(span.start, span.end);
    const count = Math.min(pick([2, 20, 201, 2000], choice) ?? 2, Math.ceil(longest / 2 / member.length));
    const more = Array.from({ length: count }, (_, at) => `,${member.replace(/^"/, `"${at}`)}`);
    return replaced(whole, { start: span.end, end: span.end }, more.join(''));
  }),
  ofSpans('element', (whole, span, choice) => {
    const element = whole.slice(span.start, span.end);
    const count = Math.min(pick([1, 20, 1025, 5000], choice) ?? 2, Math.ceil(longest / 2 / element.length));
    return replaced(whole, { start: span.end, end: span.end }, `,${element}`.repeat(count));
  }),
];

const range = (whole: string, place: number, length: number): { readonly start: number; readonly end: number } => {
  const start = place % (whole.length + 1);
  return { start, end: Math.min(whole.length, start + length) };
};

export const bytewise: readonly Mutator[] = [
  (whole, place, choice) => {
    const { start } = range(whole, place, 1);
    return replaced(
      whole,
      { start, end: start + 1 },
      String.fromCharCode((whole.charCodeAt(start) ^ (1 << (choice % 8))) & 0xff),
    );
  },
  (whole, place, choice) => replaced(whole, range(whole, place, 1 + (choice % 40)), ''),
  (whole, place) => whole.slice(0, place % (whole.length + 1)),
  (whole, place, choice) => replaced(whole, range(whole, place, 0), String.fromCharCode(choice & 0xff, (choice >> 8) & 0xff)),
  (whole, place, choice) => replaced(whole, range(whole, place, choice % 20), text(choice)),
  (whole, place, choice) => {
    const { start, end } = range(whole, place, 1 + (choice % 60));
    return replaced(whole, { start: end, end }, whole.slice(start, end).repeat(1 + (choice % 50)));
  },
  (whole, place, choice, others) => {
    const other = pick(others, choice) ?? '';
    return whole.slice(0, place % (whole.length + 1)) + other.slice(choice % (other.length + 1));
  },
];

/** Three of four mutations keep the text valid JSON. */
const mutateOnce = (whole: string, [mutator, place, choice]: Step, others: readonly string[]): string => {
  const among = mutator % 4 === 0 ? bytewise : structural;
  return pick(among, mutator >> 2)?.(whole, place, choice, others) ?? whole;
};
