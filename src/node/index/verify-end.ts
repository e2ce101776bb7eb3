// Verifies an index at start-up: its last entry, in both directions, and that nothing follows it. Nothing is
// repaired: the store's writes are atomic, so a fault here has another cause.

import { hashFaultOf } from '../../protocol/container-hash.ts';
import type { IndexName } from '../../protocol/paths.ts';
import type { Store } from './store.ts';
import { containerKey, endKey, idKey, readNumber, unpackContainer } from './stored-container.ts';

/** The data dir does not contain what this node wrote. */
export class InconsistentIndex extends Error {
  override readonly name = 'InconsistentIndex';
}

/** Number of containers in the index. Throws InconsistentIndex. */
export const verifyEnd = async (store: Store, name: IndexName): Promise<number> => {
  const size = readNumber(await store.get(endKey(name))) ?? 0;
  if ((await store.get(containerKey(name, size))) !== undefined)
    throw inconsistent(name, `container ${size} stands behind the end, which is ${size}`);
  if (size === 0) return 0;
  const last = await store.get(containerKey(name, size - 1));
  if (last === undefined) throw inconsistent(name, `its last container, ${size - 1}, is missing`);
  const container = unpackContainer(last);
  if (container === undefined) throw inconsistent(name, `its last container, ${size - 1}, is not readable`);
  const bytes = `0x${container.checked.toString('hex')}`;
  const fault = hashFaultOf(name, { ...container, bytes, encoding: 'hex', index: BigInt(size - 1) });
  if (fault !== undefined) throw inconsistent(name, `of its last container, ${size - 1}, ${fault.detail}`);
  const number = readNumber(await store.get(idKey(name, container.id)));
  if (number !== size - 1) throw inconsistent(name, `the id of its last container, ${size - 1}, leads to ${number ?? 'nothing'}`);
  return size;
};

const inconsistent = (name: IndexName, what: string): InconsistentIndex =>
  new InconsistentIndex(`the index ${name} in the data dir is inconsistent: ${what}`);
