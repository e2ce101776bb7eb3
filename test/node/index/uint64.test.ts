// uint64 arguments as a real node reads them, plain and quoted, in both dialects and for each of the three that there are.

import { describe, expect, it } from 'vitest';
import { dialects } from '../../../src/node/dialect.ts';
import { argumentError, callIndex, failure } from '../../support/index-rpc.ts';
import { roundsToSettle, startTestNode } from '../../support/node.ts';

const max = '18446744073709551615';

/** How the node says what it read. P/block holds 0 to 4, so that every number it can read shows in its answer. */
interface Reader {
  readonly argument: string;
  /** The method, and its parameters with the argument as it is written. */
  readonly call: (text: string) => readonly [method: string, params: string];
  readonly answer: (number: string, dialect: string) => object;
}

const readers: readonly Reader[] = [
  {
    argument: 'index of getContainerByIndex',
    call: (text: string) => ['getContainerByIndex', `{"index":${text}}`],
    answer: (number: string) => (Number(number) < 5 ? { result: { index: number } } : failure(`no container at index ${number}`)),
  },
  {
    argument: 'startIndex of getContainerRange',
    call: (text: string) => ['getContainerRange', `{"startIndex":${text},"numToFetch":1}`],
    answer: (number: string, dialect: string) => {
      if (Number(number) >= 5) return failure(`start index (${number}) > last accepted index (4)`);
      const containers = [expect.objectContaining({ index: number })];
      return { result: dialect === 'documented' ? containers : { containers } };
    },
  },
  {
    argument: 'numToFetch of getContainerRange',
    call: (text: string) => ['getContainerRange', `{"startIndex":"2","numToFetch":${text}}`],
    answer: (number: string, dialect: string) => {
      const least = dialect === 'documented' ? 0 : 1;
      if (number === '0' && dialect === 'documented') return { result: null };
      if (number === '0' || Number(number) > 1024) return failure(`numToFetch must be in [${least},1024] but is ${number}`);
      const containers = ['2', '3', '4'].slice(0, Number(number)).map((index) => expect.objectContaining({ index }));
      return { result: dialect === 'documented' ? containers : { containers } };
    },
  },
];

describe.each(dialects)('in the %s dialect', (dialect) => {
  describe.each(readers)('$argument', ({ call, answer }) => {
    const node = async () => {
      const started = await startTestNode(
        { dialect, indexEnabled: true },
        'chains: { P: { history: 5, blockInterval: 1h }, X: null, C: null }',
      );
      await started.ticks(roundsToSettle);
      return started;
    };

    it('is read whether quoted or plain, with leading zeros where quoted, up to 2^64-1 without loss', async () => {
      const { port } = await node();
      for (const [text, number] of [
        ['3', '3'],
        ['"3"', '3'],
        ['"0003"', '3'],
        [`"${'0'.repeat(100)}3"`, '3'],
        ['0', '0'],
        ['"0"', '0'],
        ['null', '0'],
        ['1024', '1024'],
        ['9007199254740993', '9007199254740993'],
        ['"9007199254740993"', '9007199254740993'],
        [max, max],
        [`"${max}"`, max],
      ] as const)
        expect([text, await callIndex(port, 'P/block', ...call(text))]).toMatchObject([text, answer(number, dialect)]);
    });

    it('is an argument error where it is not a uint64 as the node writes it: 1.0, 1e0 and -1 too', async () => {
      const { port } = await node();
      for (const plain of ['1.0', '1e0', '1E0', '1e+0', '-1', '-0', '1.5', '1e3', '18446744073709551616', `${max}0`, '1e400'])
        for (const text of [plain, `"${plain}"`])
          expect([text, await callIndex(port, 'P/block', ...call(text))]).toEqual([text, failure(argumentError)]);
      for (const text of [
        '""',
        '" 0"',
        '"0 "',
        '"0x0"',
        '"+1"',
        '"１"',
        '"\\u0000"',
        '"\\u0031"',
        'true',
        'false',
        '[]',
        '[0]',
        '{}',
      ])
        expect([text, await callIndex(port, 'P/block', ...call(text))]).toEqual([text, failure(argumentError)]);
    });
  });

  it('of two members that fold to one name the last one counts, in any case, but for a null; each has to be right', async () => {
    const node = await startTestNode(
      { dialect, indexEnabled: true },
      'chains: { P: { history: 5, blockInterval: 1h }, X: null, C: null }',
    );
    await node.ticks(roundsToSettle);
    expect(await callIndex(node.port, 'P/block', 'getContainerByIndex', '{"index":1,"INDEX":3}')).toMatchObject({
      result: { index: '3' },
    });
    expect(await callIndex(node.port, 'P/block', 'getContainerByIndex', '{"index":2,"index":null}')).toMatchObject({
      result: { index: '2' },
    });
    expect(await callIndex(node.port, 'P/block', 'getContainerByIndex', '{"index":"x","index":3}')).toEqual(
      failure(argumentError),
    );
  });
});
