// What any store must do; run against every one of them.

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { numberedKey, type Store } from '../../src/node/index/store.ts';

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
      expect(await store.numbered('n:P', 0, 10)).toEqual([]);
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

    it('removes what is there, and what is not', async () => {
      await store.write([
        { key: 'a', value: text('1') },
        { key: 'b', value: text('2') },
      ]);
      await store.write([{ key: 'a' }, { key: 'c' }]);
      expect(await store.get('a')).toBeUndefined();
      expect(await store.has(['a', 'b', 'c'])).toEqual([false, true, false]);
    });

    it('puts and removes in the order of the write', async () => {
      await store.write([{ key: 'a', value: text('1') }, { key: 'a' }, { key: 'b' }, { key: 'b', value: text('2') }]);
      expect(await store.has(['a', 'b'])).toEqual([false, true]);
      expect(await store.numbered('n', 0, 3)).toEqual([]);
    });

    it('leaves what was removed out of a range', async () => {
      await store.write([0, 1, 2].map((number) => ({ key: numberedKey('n', number), value: text(`${number}`) })));
      await store.write([{ key: numberedKey('n', 1) }]);
      expect(await store.numbered('n', 0, 3)).toEqual([text('0'), text('2')]);
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

    it('orders numbers as numbers and tables apart', async () => {
      const numbers = [0, 1, 2, 9, 10, 99, 100, 2 ** 32, 2 ** 53 - 1];
      await store.write(
        [...numbers].reverse().flatMap((number) => [
          { key: numberedKey('n:X/block', number), value: text(`block ${number}`) },
          { key: numberedKey('n:X/tx', number), value: text(`tx ${number}`) },
        ]),
      );
      expect(await store.numbered('n:X/block', 0, 101)).toEqual(
        [0, 1, 2, 9, 10, 99, 100].map((number) => text(`block ${number}`)),
      );
      expect(await store.numbered('n:X/tx', 2 ** 32, 1)).toEqual([text(`tx ${2 ** 32}`)]);
    });

    it('leaves missing numbers out of a range, at its ends and within', async () => {
      await store.write([1, 2, 4].map((number) => ({ key: numberedKey('n', number), value: text(`${number}`) })));
      expect(await store.numbered('n', 0, 4)).toEqual([text('1'), text('2')]);
      expect(await store.numbered('n', 2, 100)).toEqual([text('2'), text('4')]);
      expect(await store.numbered('n', 5, 100)).toEqual([]);
      expect(await store.numbered('n', 1, 0)).toEqual([]);
    });

    it('gives a whole range of 1024 large values at once', async () => {
      const large = Buffer.alloc(4000, 7);
      await store.write(Array.from({ length: 1024 }, (_, number) => ({ key: numberedKey('n', number), value: large })));
      const found = await store.numbered('n', 0, 1024);
      expect(found.length).toBe(1024);
      expect(found.every((value) => value.equals(large))).toBe(true);
    });

    it('has what it gave, after that was released', async () => {
      const large = Buffer.alloc(20_000, 7);
      await store.write([0, 1].map((number) => ({ key: numberedKey('n', number), value: large })));
      store.release(await store.numbered('n', 0, 2));
      store.release([]);
      expect((await store.numbered('n', 0, 2)).map((value) => value.equals(large))).toEqual([true, true]);
      expect((await store.get(numberedKey('n', 1)))?.equals(large)).toBe(true);
    });

    it('goes on after a recovery that nothing called for', async () => {
      await store.write([{ key: 'a', value: text('1') }]);
      await store.recover();
      await store.write([{ key: 'b', value: text('2') }]);
      expect([await store.get('a'), await store.get('b')]).toEqual([text('1'), text('2')]);
    });
  });
};
