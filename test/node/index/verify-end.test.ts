// A data dir that another program has changed: each inconsistency that a start detects and reports.

import { expect, it } from 'vitest';
import { openIndex } from '../../../src/node/index/container-index.ts';
import { openMemoryStore } from '../../../src/node/index/memory-store.ts';
import type { Store } from '../../../src/node/index/store.ts';
import {
  type AcceptedContainer,
  containerKey,
  endKey,
  hashedContainer,
  idKey,
  packContainer,
  packNumber,
} from '../../../src/node/index/stored-container.ts';
import { appendTo } from '../../support/node-store.ts';

const name = 'P/block';
const timestamp = '2026-01-02T03:04:05.678901Z';
const containerOf = (number: number): AcceptedContainer => hashedContainer(Buffer.from(`container ${number}`));
const packed = (of: number): Buffer => packContainer(containerOf(of), timestamp);

/** Undefined: the entry is missing. */
interface Change {
  readonly key: string;
  readonly value: Buffer | undefined;
}
const at = (number: number, value?: Buffer): Change => ({ key: containerKey(name, number), value });

/** A copy with one byte changed, counted from the end. */
const bent = (bytes: Buffer, fromEnd: number): Buffer => {
  const copy = Buffer.from(bytes);
  copy[copy.length - fromEnd] = (copy.at(-fromEnd) ?? 0) ^ 1;
  return copy;
};

const rows: readonly {
  readonly what: string;
  readonly count: number;
  readonly change: Change;
  readonly says: string | undefined;
}[] = [
  { what: 'nothing has changed', count: 3, change: { key: 'other', value: undefined }, says: undefined },
  {
    what: 'there is a container after the end',
    count: 3,
    change: at(3, packed(3)),
    says: 'container 3 stands behind the end, which is 3',
  },
  {
    what: 'an empty index has a container',
    count: 0,
    change: at(0, packed(0)),
    says: 'container 0 stands behind the end, which is 0',
  },
  {
    what: 'the end is too low',
    count: 3,
    change: { key: endKey(name), value: packNumber(2) },
    says: 'container 2 stands behind the end, which is 2',
  },
  {
    what: 'the end is too high',
    count: 3,
    change: { key: endKey(name), value: packNumber(9) },
    says: 'its last container, 8, is missing',
  },
  { what: 'the last container is gone', count: 3, change: at(2), says: 'its last container, 2, is missing' },
  {
    what: 'the last container is another',
    count: 3,
    change: at(2, packed(1)),
    says: 'the id of its last container, 2, leads to 1',
  },
  {
    what: 'the last container is not a container',
    count: 3,
    change: at(2, Buffer.from('none')),
    says: 'its last container, 2, is not readable',
  },
  {
    what: 'the last container is truncated in its head',
    count: 3,
    change: at(2, packed(2).subarray(0, 30)),
    says: 'its last container, 2, is not readable',
  },
  {
    what: 'a byte of the last container has changed',
    count: 3,
    change: at(2, bent(packed(2), 5)),
    says: 'of its last container, 2, the checksum of the bytes is wrong',
  },
  {
    what: 'the last container has other bytes',
    count: 3,
    change: at(2, packContainer({ ...containerOf(2), bytes: Buffer.from('other') }, timestamp)),
    says: 'of its last container, 2, the id is not the hash of the bytes',
  },
  {
    what: 'the last container has no timestamp',
    count: 3,
    change: at(2, Buffer.from(`${containerOf(2).id}\n`)),
    says: 'its last container, 2, is not readable',
  },
  {
    what: 'the id of the last container leads to another',
    count: 3,
    change: { key: idKey(name, containerOf(2).id), value: packNumber(1) },
    says: 'the id of its last container, 2, leads to 1',
  },
  {
    what: 'the id of the last container is missing',
    count: 3,
    change: { key: idKey(name, containerOf(2).id), value: undefined },
    says: 'the id of its last container, 2, leads to nothing',
  },
];

it.each(rows)('if $what, opening reports: $says', async ({ count, change, says }) => {
  const store = openMemoryStore();
  if (count > 0)
    await appendTo(
      store,
      name,
      Array.from({ length: count }, (_, number) => containerOf(number)),
      timestamp,
    );
  const { key: changed, value } = change;
  const other: Store = { ...store, get: async (key) => (key === changed ? value : store.get(key)) };
  const opened = openIndex(other, name);
  if (says === undefined) expect((await opened).last()).toBe(count - 1);
  else
    await expect(opened).rejects.toMatchObject({
      name: 'InconsistentIndex',
      message: `the index ${name} in the data dir is inconsistent: ${says}`,
    });
});
