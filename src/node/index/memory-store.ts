// A store without a data dir: its content is lost when the process ends.

import type { Store } from './store.ts';

export const openMemoryStore = (): Store => {
  const values = new Map<string, Buffer>();
  return {
    get: async (key) => values.get(key),
    getMany: async (keys) => keys.map((key) => values.get(key)),
    write: async (puts) => {
      for (const { key, value } of puts) values.set(key, Buffer.from(value));
    },
    recover: async () => undefined,
    close: async () => undefined,
  };
};
