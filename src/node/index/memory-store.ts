// A store without a data dir: what it holds ends with the process.

import { numberedKey, type Store } from './store.ts';

export const openMemoryStore = (): Store => {
  const values = new Map<string, Buffer>();
  return {
    get: async (key) => values.get(key),
    has: async (keys) => keys.map((key) => values.has(key)),
    numbered: async (table, first, count) => {
      const found: Buffer[] = [];
      for (let number = first; number < first + count; number += 1) {
        const value = values.get(numberedKey(table, number));
        if (value !== undefined) found.push(value);
      }
      return found;
    },
    // It is the store's own.
    release: () => undefined,
    write: async (changes) => {
      for (const { key, value } of changes)
        if (value === undefined) values.delete(key);
        else values.set(key, Buffer.from(value));
    },
    recover: async () => undefined,
    close: async () => undefined,
  };
};
