// uint64 arguments are parsed as a real node does, plain and quoted, in both dialects, for each of the three arguments.

import { describe, expect, it } from 'vitest';
import { dialects } from '../../../src/node/dialect.ts';
import { argumentError, callIndex, failure } from '../../support/index-rpc.ts';
import { roundsToSettle, startTestNode } from '../../support/node.ts';

const max = '18446744073709551615';

/** P/block holds 0 to 4, so that every number the node reads shows in its response. */
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

    it('may be plain or quoted, with leading zeros if quoted, up to 2^64-1 without loss of precision', async () => {
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

    it('gets an argument error for anything else, also for 1.0, 1e0 and -1', async () => {
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

  it('of members whose names differ only in case the last one that is not null counts, and all must be valid', async () => {
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
