// The stored cases: small files, each the first that showed a new feature, or one that found a fault.

import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { Judged } from './campaign.ts';

const folder = new URL('corpus/', import.meta.url);

/** Maximum file size in bytes; a case that found a fault may be larger. */
const largest = 3000;

export interface Kind<Case> {
  /** Suffix of its file names. */
  readonly ending: string;
  readonly write: (one: Case) => string;
  readonly read: (text: string) => Case;
  /** Smaller cases, which may show the same. */
  readonly smaller: (one: Case) => Iterable<Case>;
}

export interface Corpus<Case> extends Kind<Case> {
  /** With SNOWGAUGE_FUZZ_KEEP=1, stores a case that shows a feature which no case of the corpus shows. */
  readonly keepNew: (one: Case, features: ReadonlySet<string>, play: (one: Case) => Promise<Judged>) => Promise<void>;
}

/** Name and text of each file of a kind. */
export const filesOf = ({ ending }: Pick<Kind<unknown>, 'ending'>): readonly (readonly [file: string, text: string])[] =>
  readdirSync(folder)
    .filter((file) => file.endsWith(ending))
    .sort()
    .map((file) => [file, readFileSync(new URL(file, folder), 'latin1')]);

/** Returns the name of the file. */
export const kept = <Case>({ ending, write }: Kind<Case>, why: string, one: Case): string => {
  const text = write(one);
  const file = `${why}-${createHash('sha256').update(text).digest('hex').slice(0, 8)}${ending}`;
  writeFileSync(new URL(file, folder), text, 'latin1');
  return `test/fuzz/corpus/${file}`;
};

export const corpusOf = <Case>(kind: Kind<Case>): Corpus<Case> => {
  const isKeeping = process.env.SNOWGAUGE_FUZZ_KEEP === '1';
  let shown: Set<string> | undefined;
  return {
    ...kind,
    keepNew: async (one, features, play) => {
      if (!isKeeping) return;
      if (shown === undefined) {
        shown = new Set();
        for (const [, text] of filesOf(kind)) for (const feature of (await play(kind.read(text))).features) shown.add(feature);
      }
      const news = [...features].filter((feature) => shown?.has(feature) === false);
      if (news.length === 0) return;
      const least = await leastOf(kind, one, async (other) => {
        const { features: of } = await play(other);
        return news.every((feature) => of.has(feature));
      });
      if (kind.write(least).length > largest) return;
      kept(kind, 'kept', least);
      for (const feature of features) shown.add(feature);
    },
  };
};

/** Shrinks the case while it still shows the same features. */
const leastOf = async <Case>({ smaller }: Kind<Case>, first: Case, does: (one: Case) => Promise<boolean>): Promise<Case> => {
  let least = first;
  for (let wasSmaller = true; wasSmaller; ) {
    wasSmaller = false;
    for (const one of smaller(least)) {
      if (!(await does(one).catch(() => false))) continue;
      least = one;
      wasSmaller = true;
      break;
    }
  }
  return least;
};
