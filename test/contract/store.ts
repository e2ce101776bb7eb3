// What any store must do; run against every one of them.

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Store } from '../../src/node/index/store.ts';

const text = (value: string): Buffer => Buffer.from(value);

/** `open` gives an empty store; it is closed after each row. */
export const storeContract = (name: string, open: () => Promise<Store>): void => {
  describe(`a store ${name}`, () => {
    let store: Store;
    beforeEach(async () => {
      store = await open();
    });
    afterEach(() => store.close());

    it('has nothing to begin with', async () => {
      expect(await store.get('a')).toBeUndefined();
      expect(await store.has(['a'])).toEqual([false]);
      expect(await store.getMany(['a', 'b'])).toEqual([undefined, undefined]);
    });

    it('gives back what was written, and only that', async () => {
      await store.write([
        { key: 'a', value: text('1') },
        { key: 'b', value: new Uint8Array([0, 255, 128]) },
      ]);
      expect(await store.get('a')).toEqual(text('1'));
      expect(await store.get('b')).toEqual(Buffer.from([0, 255, 128]));
      expect(await store.has(['b', 'c', 'a'])).toEqual([true, false, true]);
    });

    it('writes over what was there, also within one write', async () => {
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

    it('keeps its values when the writer uses its bytes again', async () => {
      const bytes = text('1');
      await store.write([{ key: 'a', value: bytes }]);
      bytes.write('2');
      expect(await store.get('a')).toEqual(text('1'));
    });

    it('gives many values in the order of their keys, and nothing for a missing one', async () => {
      await store.write(['a', 'b', 'd'].map((key) => ({ key, value: text(key) })));
      expect(await store.getMany(['d', 'c', 'a', 'd'])).toEqual([text('d'), undefined, text('a'), text('d')]);
      expect(await store.getMany([])).toEqual([]);
    });

    it('gives 1024 large values at once', async () => {
      const large = Buffer.alloc(4000, 7);
      const keys = Array.from({ length: 1024 }, (_, number) => `${number}`);
      await store.write(keys.map((key) => ({ key, value: large })));
      const found = await store.getMany(keys);
      expect(found.length).toBe(1024);
      expect(found.every((value) => value?.equals(large))).toBe(true);
    });

    it('goes on after a recovery that nothing called for', async () => {
      await store.write([{ key: 'a', value: text('1') }]);
      await store.recover();
      await store.write([{ key: 'b', value: text('2') }]);
      expect([await store.get('a'), await store.get('b')]).toEqual([text('1'), text('2')]);
    });
  });
};
