// One index: containers by number and by id, in the store. Numbers are given without a gap, and a container that is already
// in the index keeps its number.

import type { IndexName } from '../../protocol/paths.ts';
import { byNumber, range, startTail, tailOf } from './by-number.ts';
import { endKey, idKey, packNumber, readNumber } from './index-keys.ts';
import type { Change, Store } from './store.ts';
import { type AcceptedContainer, type Packed, packContainer } from './stored-container.ts';
import { verifyEnd } from './verify-end.ts';

export interface IndexReader {
  /** Number of the last container, undefined when there is none. */
  readonly last: () => number | undefined;
  readonly byNumber: (number: number) => Promise<Packed | undefined>;
  readonly range: (first: number, count: number) => Promise<readonly Packed[]>;
  /** What `byNumber` and `range` gave and nobody reads any more. */
  readonly release: (found: readonly Packed[]) => void;
  readonly numberOfId: (id: string) => Promise<number | undefined>;
}

export interface ContainerIndex extends IndexReader {
  readonly name: IndexName;
  /**
   * What must be written, in one write with whatever it must not be parted from. `mayBeKnown`: looks whether a container is
   * in the index already, and then leaves it where it is.
   */
  readonly append: (containers: readonly AcceptedContainer[], timestamp: string, mayBeKnown: boolean) => Promise<Appended>;
  /** After a write that failed: what is there is there. */
  readonly reload: () => Promise<void>;
}

export interface Appended {
  readonly changes: readonly Change[];
  /** Makes them readable, once they are. */
  readonly written: () => void;
}

/** Reads where the index ends and verifies its last entry. Throws InconsistentIndex. */
export const openIndex = async (store: Store, name: IndexName): Promise<ContainerIndex> => {
  let size = 0;
  // Numbers given by append run ahead of `size` while a write is under way.
  let next = 0;
  let tail = startTail(name, 0, []);
  let isFirstAppend = true;

  const reload = async (): Promise<void> => {
    size = await verifyEnd(store, name);
    next = size;
    tail = startTail(name, size, await tailOf({ store, name, size }));
    isFirstAppend = true;
  };

  const append: ContainerIndex['append'] = async (containers, timestamp, mayBeKnown) => {
    const keys = containers.map(({ id }) => idKey(name, id));
    // A chain's height is written with its containers, so a second time could only come right after a start.
    const known = isFirstAppend || mayBeKnown ? await store.has(keys) : [];
    isFirstAppend = false;
    const changes: Change[] = [];
    for (const [at, container] of containers.entries()) {
      const key = keys[at];
      if (known[at] === true || key === undefined) continue;
      tail.push(packContainer(container, next, timestamp));
      changes.push({ key, value: packNumber(next) });
      next += 1;
    }
    if (changes.length > 0) changes.push(...tail.changes(), { key: endKey(name), value: packNumber(next) });
    const after = next;
    return {
      changes,
      written: () => {
        size = after;
      },
    };
  };

  await reload();
  return {
    name,
    last: () => (size === 0 ? undefined : size - 1),
    byNumber: (number) => byNumber({ store, name, size }, number),
    range: (first, count) => range({ store, name, size }, first, count),
    // Containers of one run stand behind one another.
    release: (found) =>
      store.release(found.filter(({ memory }, at) => memory !== found[at - 1]?.memory).map(({ memory }) => memory)),
    numberOfId: async (id) => readNumber(await store.get(idKey(name, id))),
    append,
    reload,
  };
};
