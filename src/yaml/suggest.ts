// For "did you mean": finds the valid word that is most similar.

import { quoted, unknownName } from '../text.ts';

const fold = (word: string): string => word.toLowerCase().replace(/[-_\s]/g, '');

/** The number of edits (insert, delete, replace, swap two neighbours) between two words. */
const distance = (a: string, b: string): number => {
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      next.push(
        Math.min(
          (row[j] ?? 0) + 1,
          (next[j - 1] ?? 0) + 1,
          (row[j - 1] ?? 0) + (same ? 0 : 1),
          swapped ? (before[j - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
        ),
      );
    }
    before = row;
    row = next;
  }
  return row[b.length] ?? 0;
};

/** The most similar word; undefined if none is similar enough. */
export const nearest = (word: string, words: readonly string[]): string | undefined => {
  if (word.length > 64) return undefined;
  const ranked = words
    .map((candidate) => ({ candidate, edits: distance(fold(word), fold(candidate)) }))
    .sort((a, b) => a.edits - b.edits);
  const best = ranked[0];
  return best !== undefined && best.edits <= Math.max(1, Math.floor(word.length / 3)) ? best.candidate : undefined;
};

/** The error for an unknown name, with the name that may be meant, or all known ones. */
export const unknownWord = (kind: string, name: string, known: readonly string[]): string => {
  const meant = nearest(name, known);
  return meant === undefined ? unknownName(kind, name, known) : `unknown ${kind} ${quoted(name)}: did you mean ${meant}?`;
};
