// Clients' view of an index: all of it, unless a fault makes it stall or lose a container. The store keeps everything;
// faults affect only the view.

import type { IndexReader } from './container-index.ts';

export const indexViewOf = (index: IndexReader) => {
  let stalledAt: number | undefined;
  let isLosing = false;
  const lost = new Set<number>();
  const size = (): number => (index.last() ?? -1) + 1;
  const shown = (): number => Math.min(stalledAt ?? Number.POSITIVE_INFINITY, size());
  const isShown = (number: number): boolean => number < shown() && !lost.has(number);

  return {
    last: (): number | undefined => {
      let number = shown() - 1;
      while (lost.has(number)) number -= 1;
      return number < 0 ? undefined : number;
    },
    range: async (first: number, count: number) => {
      const found = await index.range(first, Math.min(count, shown() - first));
      return lost.size === 0 ? found : found.filter(({ number }) => isShown(number));
    },
    numberOfId: async (id: string) => {
      const number = await index.numberOfId(id);
      return number !== undefined && isShown(number) ? number : undefined;
    },
    /**
     * While `stalls` is true, the index hides newly accepted containers; later they appear all at once. When `loses` becomes
     * true, the next accepted container is never shown.
     */
    setFaults: (stalls: boolean, loses: boolean): void => {
      stalledAt = stalls ? (stalledAt ?? size()) : undefined;
      if (loses && !isLosing) lost.add(size());
      isLosing = loses;
    },
  };
};
