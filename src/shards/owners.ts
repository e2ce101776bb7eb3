// Rendezvous hashing (highest random weight): maps a name to a shard. An additional shard takes 1/n of the names from the others. No names
// move between the others.

import { hash } from 'node:crypto';

export interface Owners {
  /**
   * Number of the owner from 0 to total - 1; undefined without shards. It is the same in all processes and versions, because shards do not
   * communicate.
   */
  readonly ownerOf: (name: string, total: number) => number | undefined;
  /** Drops all other names from the cache. */
  readonly keep: (names: ReadonlySet<string>) => void;
}

/**
 * `leaders`: shards with a higher weight than all shards before them, in order. The last one below `total` is the owner. `counted`: number
 * of shards with a computed weight.
 */
interface Ranking {
  readonly leaders: number[];
  highest: string;
  counted: number;
}

/** Hex digits of a weight, and number of weights per SHA-256 digest. */
const digits = 16;
const inDigest = 4;

export const createOwners = (): Owners => {
  const rankings = new Map<string, Ranking>();
  const rankingOf = (name: string, total: number): Ranking => {
    const ranking = rankings.get(name) ?? { leaders: [], highest: '', counted: 0 };
    rankings.set(name, ranking);
    while (ranking.counted < total) {
      const digest = hash('sha256', `${name}\n${ranking.counted / inDigest}`);
      for (let at = 0; at < inDigest; at += 1) {
        const weight = digest.slice(at * digits, (at + 1) * digits);
        if (weight > ranking.highest) {
          ranking.highest = weight;
          ranking.leaders.push(ranking.counted);
        }
        ranking.counted += 1;
      }
    }
    return ranking;
  };
  return {
    ownerOf: (name, total) => rankingOf(name, total).leaders.findLast((shard) => shard < total),
    keep: (names) => {
      for (const name of rankings.keys()) if (!names.has(name)) rankings.delete(name);
    },
  };
};
