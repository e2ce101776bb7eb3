// A data dir that something else has changed: each thing that a start sees of it, and says.

import { expect, it } from 'vitest';
import { runLength } from '../../../src/node/index/by-number.ts';
import { openIndex } from '../../../src/node/index/container-index.ts';
import { endKey, idKey, numbersTable, packNumber, runsTable } from '../../../src/node/index/index-keys.ts';
import { openMemoryStore } from '../../../src/node/index/memory-store.ts';
import { type Change, numberedKey } from '../../../src/node/index/store.ts';
import { type AcceptedContainer, hashedContainer, packContainer } from '../../../src/node/index/stored-container.ts';
import { appendTo } from '../../support/node-store.ts';

const name = 'P/block';
const timestamp = '2026-01-02T03:04:05.678901Z';
const containerOf = (number: number): AcceptedContainer => hashedContainer(Buffer.from(`container ${number}`));
const packed = (of: number, number: number): Buffer => packContainer(containerOf(of), number, timestamp);
const alone = (number: number, value?: Buffer): Change => ({
  key: numberedKey(numbersTable(name), number),
  ...(value && { value }),
});

/** The same with one byte other, counted from the end. */
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
  { what: 'nothing is other', count: 3, change: { key: 'other' }, says: undefined },
  {
    what: 'a container stands behind the end',
    count: 3,
    change: alone(3, packed(3, 3)),
    says: 'container 3 stands behind the end, which is 3',
  },
  {
    what: 'a container stands where nothing was accepted',
    count: 0,
    change: alone(0, packed(0, 0)),
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
  { what: 'the last container is gone', count: 3, change: alone(2), says: 'its last container, 2, is missing' },
  {
    what: 'the run that ends with the last container is gone',
    count: runLength,
    change: { key: numberedKey(runsTable(name), 0) },
    says: `its last container, ${runLength - 1}, is missing`,
  },
  {
    what: 'the last container is another',
    count: 3,
    change: alone(2, packed(1, 1)),
    says: 'its last container, 2, is not readable',
  },
  {
    what: 'the last container is none',
    count: 3,
    change: alone(2, Buffer.from('none')),
    says: 'its last container, 2, is not readable',
  },
  {
    what: 'the last container is cut off in its head',
    count: 3,
    change: alone(2, packed(2, 2).subarray(0, 30)),
    says: 'its last container, 2, is not readable',
  },
  {
    what: 'a byte of the last container is other',
    count: 3,
    change: alone(2, bent(packed(2, 2), 5)),
    says: 'the bytes of its last container, 2, do not have their checksum',
  },
  {
    what: 'its checksum is other',
    count: 3,
    change: alone(2, bent(packed(2, 2), 1)),
    says: 'the bytes of its last container, 2, do not have their checksum',
  },
  {
    what: 'its id leads elsewhere',
    count: 3,
    change: { key: idKey(name, containerOf(2).id), value: packNumber(1) },
    says: 'the id of its last container, 2, leads to 1',
  },
  {
    what: 'its id leads nowhere',
    count: 3,
    change: { key: idKey(name, containerOf(2).id) },
    says: 'the id of its last container, 2, leads to nothing',
  },
];

it.each(rows)('where $what: $says', async ({ count, change, says }) => {
  const store = openMemoryStore();
  if (count > 0)
    await appendTo(
      store,
      name,
      Array.from({ length: count }, (_, number) => containerOf(number)),
      timestamp,
    );
  await store.write([change]);
  const opened = openIndex(store, name);
  if (says === undefined) expect((await opened).last()).toBe(count - 1);
  else
    await expect(opened).rejects.toMatchObject({
      name: 'InconsistentIndex',
      message: `the index ${name} in the data dir is inconsistent: ${says}`,
    });
});
