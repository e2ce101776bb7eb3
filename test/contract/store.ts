// The contract of a store, run against every implementation.

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Store } from '../../src/node/index/store.ts';

const text = (value: string): Buffer => Buffer.from(value);

/** `open` returns an empty store, which is closed after each test. */
export const storeContract = (name: string, open: () => Promise<Store>): void => {
  describe(`a store ${name}`, () => {
    let store: Store;
    beforeEach(async () => {
      store = await open();
    });
    afterEach(() => store.close());

    it('is empty at first', async () => {
      expect(await store.get('a')).toBeUndefined();
      expect(await store.getMany(['a', 'b'])).toEqual([undefined, undefined]);
    });

    it('returns exactly what was written', async () => {
      await store.write([
        { key: 'a', value: text('1') },
        { key: 'b', value: new Uint8Array([0, 255, 128]) },
      ]);
      expect(await store.get('a')).toEqual(text('1'));
      expect(await store.get('b')).toEqual(Buffer.from([0, 255, 128]));
    });

    it('overwrites values, also within one write', async () => {
      await store.write([{ key: 'a', value: text('1') }]);
      await store.write([
        { key: 'a', value: text('2') },
        { key: 'a', value: text('3') },
      ]);
      expect(await store.get('a')).toEqual(text('3'));
    });

    it('keeps an empty value and an empty write', async () => {
      await store.write([{ key: 'a', value: text('') }]);
      await store.write([]);
      expect(await store.get('a')).toEqual(text(''));
    });

    it('keeps its values when the caller reuses the buffer', async () => {
      const bytes = text('1');
      await store.write([{ key: 'a', value: bytes }]);
      bytes.write('2');
      expect(await store.get('a')).toEqual(text('1'));
    });

    it('returns many values in the order of the keys, and undefined for a missing one', async () => {
      await store.write(['a', 'b', 'd'].map((key) => ({ key, value: text(key) })));
      expect(await store.getMany(['d', 'c', 'a', 'd'])).toEqual([text('d'), undefined, text('a'), text('d')]);
      expect(await store.getMany([])).toEqual([]);
    });

    it('returns 1024 large values at once', async () => {
      const large = Buffer.alloc(4000, 7);
      const keys = Array.from({ length: 1024 }, (_, number) => `${number}`);
      await store.write(keys.map((key) => ({ key, value: large })));
      const found = await store.getMany(keys);
      expect(found.length).toBe(1024);
      expect(found.every((value) => value?.equals(large))).toBe(true);
    });

    it('accepts writes after an unnecessary recovery', async () => {
      await store.write([{ key: 'a', value: text('1') }]);
      await store.recover();
      await store.write([{ key: 'b', value: text('2') }]);
      expect([await store.get('a'), await store.get('b')]).toEqual([text('1'), text('2')]);
    });
  });
};
