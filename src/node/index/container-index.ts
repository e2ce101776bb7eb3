// One index: containers by number and by id, in the store. Numbers have no gaps.

import type { IndexName } from '../../protocol/paths.ts';
import type { Put, Store } from './store.ts';
import {
  type AcceptedContainer,
  containerKey,
  endKey,
  idKey,
  type NumberedContainer,
  packContainer,
  packNumber,
  readNumber,
  unpackContainer,
} from './stored-container.ts';
import { verifyEnd } from './verify-end.ts';

export interface IndexReader {
  /** Number of the last container; undefined if there is none. */
  readonly last: () => number | undefined;
  /** Containers of `count` numbers from `first` on, without missing ones. */
  readonly range: (first: number, count: number) => Promise<readonly NumberedContainer[]>;
  readonly numberOfId: (id: string) => Promise<number | undefined>;
}

export type ContainerIndex = Awaited<ReturnType<typeof openIndex>>;

export interface Appended {
  readonly puts: readonly Put[];
  /** Makes them readable. Called once they are written. */
  readonly written: () => void;
}

/** Reads the end of the index and verifies its last entry. Throws InconsistentIndex. */
export const openIndex = async (store: Store, name: IndexName) => {
  let size = 0;
  // Numbers assigned by append are ahead of `size` during a write.
  let next = 0;

  /** Reads what is stored, after a failed write. */
  const reload = async (): Promise<void> => {
    size = await verifyEnd(store, name);
    next = size;
  };

  /** Entries to write, in one write with the height of their chain, so that no container is ever accepted twice. */
  const append = (containers: readonly AcceptedContainer[], timestamp: string): Appended => {
    const puts: Put[] = [];
    for (const container of containers) {
      puts.push(
        { key: containerKey(name, next), value: packContainer(container, timestamp) },
        { key: idKey(name, container.id), value: packNumber(next) },
      );
      next += 1;
    }
    if (puts.length > 0) puts.push({ key: endKey(name), value: packNumber(next) });
    const after = next;
    return {
      puts,
      written: () => {
        size = after;
      },
    };
  };

  await reload();
  const reader: IndexReader = {
    last: () => (size === 0 ? undefined : size - 1),
    range: async (first, count) => {
      const numbers = Array.from({ length: Math.max(0, count) }, (_, at) => first + at);
      const found = await store.getMany(numbers.map((number) => containerKey(name, number)));
      return numbers.flatMap((number, at) => {
        const container = unpackContainer(found[at]);
        return container === undefined ? [] : [{ ...container, number }];
      });
    },
    numberOfId: async (id) => readNumber(await store.get(idKey(name, id))),
  };
  return { ...reader, name, append, reload };
};
