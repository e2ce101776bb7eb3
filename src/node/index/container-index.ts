// One index: containers by number and by id, in the store. Numbers are given without a gap, and a container that is already
// in the index keeps its number.

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
  /** Number of the last container, undefined when there is none. */
  readonly last: () => number | undefined;
  /** Of `count` numbers from `first` on; those that are missing are left out. */
  readonly range: (first: number, count: number) => Promise<readonly NumberedContainer[]>;
  readonly numberOfId: (id: string) => Promise<number | undefined>;
}

export type ContainerIndex = Awaited<ReturnType<typeof openIndex>>;

export interface Appended {
  readonly puts: readonly Put[];
  /** Makes them readable, once they are. */
  readonly written: () => void;
}

/** Reads where the index ends and verifies its last entry. Throws InconsistentIndex. */
export const openIndex = async (store: Store, name: IndexName) => {
  let size = 0;
  // Numbers given by append run ahead of `size` while a write is under way.
  let next = 0;
  let isFirstAppend = true;

  /** After a write that failed: what is there is there. */
  const reload = async (): Promise<void> => {
    size = await verifyEnd(store, name);
    next = size;
    isFirstAppend = true;
  };

  /**
   * What must be written, in one write with whatever it must not be parted from. `mayBeKnown`: looks whether a container is
   * in the index already, and then leaves it where it is.
   */
  const append = async (containers: readonly AcceptedContainer[], timestamp: string, mayBeKnown: boolean): Promise<Appended> => {
    // A chain's height is written with its containers, so a second time could only come right after a start.
    const known = isFirstAppend || mayBeKnown ? await store.has(containers.map(({ id }) => idKey(name, id))) : [];
    isFirstAppend = false;
    const puts: Put[] = [];
    for (const [at, container] of containers.entries()) {
      if (known[at] === true) continue;
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
