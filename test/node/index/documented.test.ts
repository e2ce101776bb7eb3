// The index part of the interface's document, sentence by sentence, in the dialect that follows it. Over real sockets.

import { describe, expect, it } from 'vitest';
import { idOf } from '../../../src/protocol/id.ts';
import { type IndexName, indexNames, indexPath } from '../../../src/protocol/paths.ts';
import { decodeHex } from '../../support/hex.ts';
import { argumentError, callIndex, failure, success } from '../../support/index-rpc.ts';
import { roundsToSettle, startTestNode, type TestNode } from '../../support/node.ts';
import { askRaw } from '../../support/raw-http.ts';

const scenario = `
chains:
  P: { history: 5, blockInterval: 1s }
  X: { history: 4, blockInterval: 1s }
  C: { history: 3, blockInterval: 1s }
`;

const indexed = async (yaml = scenario): Promise<TestNode> => {
  const node = await startTestNode({ dialect: 'documented', indexEnabled: true }, yaml);
  await node.ticks(roundsToSettle);
  return node;
};

const call = (node: TestNode, name: IndexName, method: string, params?: string): Promise<unknown> =>
  callIndex(node.port, name, method, params);

const numbered = (...numbers: readonly number[]) =>
  success(numbers.map((number) => expect.objectContaining({ index: `${number}` })));

describe('Index interface', () => {
  it('all calls are JSON-RPC 2.0 over HTTP POST, as application/json; the response has jsonrpc, the id of the request, and result', async () => {
    const { port } = await indexed();
    const post = (body: string, type: string) =>
      askRaw(port, { method: 'POST', path: indexPath('P/block'), headers: { 'Content-Type': type }, body });
    const envelope = (id: unknown, jsonrpc = '2.0'): string =>
      JSON.stringify({ jsonrpc, id, method: 'index.getIndex', params: { encoding: 'hex' } });
    for (const id of [1, 4711, 'seven']) {
      const { status, headers, body } = await post(envelope(id), 'application/json');
      expect([status, headers]).toEqual([200, expect.arrayContaining([['Content-Type', 'application/json; charset=utf-8']])]);
      expect(JSON.parse(body)).toEqual({ ...failure('not found'), id });
    }
    expect(await post(envelope(1), 'text/plain')).toMatchObject({
      status: 415,
      body: 'rpc: unrecognized Content-Type: text/plain',
    });
    expect(JSON.parse((await post(envelope(1, '1.0'), 'application/json')).body)).toMatchObject({
      error: { code: -32600, message: 'jsonrpc must be 2.0' },
    });
  });

  it.each(indexNames)('%s: all methods are POST, prefixed index., and served at every index path', async (name) => {
    const node = await indexed();
    const get = await askRaw(node.port, { method: 'GET', path: indexPath(name) });
    expect(get).toMatchObject({ status: 405, body: 'rpc: POST method required, received GET' });
    const { result } = Object(await call(node, name, 'getLastAccepted'));
    const { id, index } = result;
    expect(await call(node, name, 'getContainerByID', `{"id":"${id}","encoding":"hex"}`)).toEqual(success(result));
    expect(await call(node, name, 'getContainerByIndex', `{"index":"${index}","encoding":"hex"}`)).toEqual(success(result));
    expect(await call(node, name, 'getContainerRange', `{"startIndex":"${index}","numToFetch":"1","encoding":"hex"}`)).toEqual(
      success([result]),
    );
    expect(await call(node, name, 'getIndex', `{"id":"${id}","encoding":"hex"}`)).toEqual(success({ index }));
    expect(await call(node, name, 'isAccepted', `{"id":"${id}","encoding":"hex"}`)).toEqual(success({ isAccepted: true }));
  });

  it('index 0 is the first accepted, 1 the second, and so on: the last one is the chain’s last accepted', async () => {
    const node = await indexed();
    node.advance(2);
    await node.tick();
    expect(await call(node, 'P/block', 'getContainerRange', '{"startIndex":0,"numToFetch":100}')).toEqual(
      numbered(0, 1, 2, 3, 4, 5, 6),
    );
    const { result } = Object(await call(node, 'P/block', 'getLastAccepted'));
    const report = await askRaw(node.port, { method: 'GET', path: '/ext/health' });
    expect(JSON.parse(report.body).checks.P.message.engine.consensus).toMatchObject({
      lastAcceptedHeight: 7,
      lastAcceptedID: result.id,
    });
  });

  it('/ext/index/X/tx grows with the transactions, /ext/index/X/vtx is historical and no longer populated', async () => {
    const node = await indexed();
    const last = async (name: IndexName): Promise<number> =>
      Number(Object(await call(node, name, 'getLastAccepted')).result.index);
    const before = { tx: await last('X/tx'), vtx: await last('X/vtx') };
    node.advance(5);
    await node.tick();
    expect(await last('X/tx')).toBeGreaterThanOrEqual(before.tx + 5);
    expect(await last('X/vtx')).toBe(before.vtx);
  });

  it('available only when the node runs with --index-enabled', async () => {
    const node = await startTestNode({ dialect: 'documented', indexEnabled: false }, scenario);
    await node.ticks(roundsToSettle);
    for (const name of indexNames)
      expect(await askRaw(node.port, { method: 'POST', path: indexPath(name), body: '{}' })).toMatchObject({
        status: 404,
        body: '404 page not found\n',
      });
  });

  it('for an id that is not in this index, isAccepted is false, getIndex and getContainerByID return an error', async () => {
    const node = await indexed();
    const { result } = Object(await call(node, 'C/block', 'getLastAccepted'));
    const params = `{"id":"${result.id}","encoding":"hex"}`;
    expect(await call(node, 'P/block', 'isAccepted', params)).toEqual(success({ isAccepted: false }));
    expect(await call(node, 'P/block', 'getIndex', params)).toEqual(failure('not found'));
    expect(await call(node, 'P/block', 'getContainerByID', params)).toEqual(failure('not found'));
  });

  it('an empty index returns an error for getLastAccepted, getContainerByIndex and getContainerRange', async () => {
    const node = await indexed('chains: { P: { history: 0, blockInterval: 1h }, X: null, C: null }');
    expect(await call(node, 'P/block', 'getLastAccepted')).toEqual(failure('no containers have been accepted'));
    expect(await call(node, 'P/block', 'getContainerByIndex', '{"index":0}')).toEqual(failure('no container at index 0'));
    expect(await call(node, 'P/block', 'getContainerRange', '{"startIndex":0,"numToFetch":1}')).toEqual(
      failure('no containers have been accepted'),
    );
    expect(await call(node, 'P/block', 'getContainerRange', '{"startIndex":9,"numToFetch":0}')).toEqual(success(null));
  });
});

describe('Container', () => {
  const timed = async (): Promise<Readonly<Record<string, string>>> => {
    const options = { dialect: 'documented', indexEnabled: true } as const;
    const node = await startTestNode(options, `${scenario}utcOffset: '+05:30'`, 1_800_000_000.25);
    await node.ticks(roundsToSettle);
    return Object(await call(node, 'P/block', 'getLastAccepted')).result;
  };

  it('has id, bytes, timestamp, encoding and index, all strings', async () => {
    const container = await timed();
    expect(Object.keys(container)).toEqual(['id', 'bytes', 'timestamp', 'encoding', 'index']);
    for (const value of Object.values(container)) expect(value).toBeTypeOf('string');
  });

  it('bytes: byte representation of the container, hex encoded, with a leading 0x prefix; id: its identifier', async () => {
    const { id, bytes } = await timed();
    expect(bytes).toMatch(/^0x(?:[0-9a-f]{2})+$/);
    expect(idOf(decodeHex(bytes ?? '') ?? Buffer.of())).toBe(id);
  });

  it('timestamp: time this node accepted the container, with UTC offset and fractional seconds', async () => {
    expect((await timed()).timestamp).toBe('2027-01-15T13:30:00.25+05:30');
  });

  it('encoding: always hex', async () => expect((await timed()).encoding).toBe('hex'));

  it('index: decimal number of containers accepted in this index before this one', async () => {
    expect((await timed()).index).toBe('4');
  });

  it('is a block, a vertex or a transaction: the X-Chain has one index of each kind, and they share no container', async () => {
    const node = await indexed();
    const ids = await Promise.all(
      (['X/block', 'X/vtx', 'X/tx'] as const).map(async (name) => Object(await call(node, name, 'getLastAccepted')).result.id),
    );
    for (const [at, name] of (['X/block', 'X/vtx', 'X/tx'] as const).entries())
      for (const [other, id] of ids.entries())
        expect(await call(node, name, 'isAccepted', `{"id":"${id}","encoding":"hex"}`)).toEqual(
          success({ isAccepted: at === other }),
        );
  });
});

interface Last {
  readonly id: string;
  readonly index: string;
}

describe('Methods', () => {
  it.each<{ readonly row: string; readonly params: (last: Last) => string; readonly answer: (last: Last) => unknown }>([
    { row: 'getContainerByID: id string -> Container', params: ({ id }) => `"id":"${id}"`, answer: (last) => last },
    { row: 'getContainerByIndex: index uint64 -> Container', params: ({ index }) => `"index":${index}`, answer: (last) => last },
    {
      row: 'getContainerRange: startIndex uint64, numToFetch uint64 -> array of Container',
      params: ({ index }) => `"startIndex":${index},"numToFetch":1`,
      answer: (last) => [last],
    },
    {
      row: 'getIndex: id string -> object with index (string)',
      params: ({ id }) => `"id":"${id}"`,
      answer: ({ index }) => ({ index }),
    },
    { row: 'getLastAccepted: -> Container, the most recently accepted', params: () => '"more":1', answer: (last) => last },
    {
      row: 'isAccepted: id string -> object with isAccepted (boolean)',
      params: ({ id }) => `"id":"${id}"`,
      answer: () => ({ isAccepted: true }),
    },
  ])('$row', async ({ row, params, answer }) => {
    const node = await indexed();
    const { result } = Object(await call(node, 'C/block', 'getLastAccepted'));
    const method = row.slice(0, row.indexOf(':'));
    expect(await call(node, 'C/block', method, `{${params(result)},"encoding":"hex"}`)).toEqual(success(answer(result)));
  });
});

describe('Rules for index.getContainerRange', () => {
  it.each([
    {
      rule: '1. when numToFetch is 0, the response is empty (null)',
      params: '"startIndex":0,"numToFetch":0',
      answer: success(null),
    },
    { rule: '1. … also if numToFetch is missing', params: '"startIndex":0', answer: success(null) },
    { rule: '1. … also when startIndex is beyond the last', params: '"startIndex":99,"numToFetch":0', answer: success(null) },
    {
      rule: '2. when startIndex is greater than the last accepted index, the call returns an error',
      params: '"startIndex":5,"numToFetch":1',
      answer: failure('start index (5) > last accepted index (4)'),
    },
    {
      rule: '3. when numToFetch exceeds the maximum, the call returns an error',
      params: '"startIndex":0,"numToFetch":1025',
      answer: failure('numToFetch must be in [0,1024] but is 1025'),
    },
    {
      rule: '3. … even when startIndex is beyond the last',
      params: '"startIndex":99,"numToFetch":"18446744073709551615"',
      answer: failure('numToFetch must be in [0,1024] but is 18446744073709551615'),
    },
    {
      rule: '4. when fewer exist than requested, those before running out are returned',
      params: '"startIndex":3,"numToFetch":9',
      answer: numbered(3, 4),
    },
    { rule: '5. numToFetch 1024 is within', params: '"startIndex":"0","numToFetch":"1024"', answer: numbered(0, 1, 2, 3, 4) },
    { rule: 'an array of Container, from startIndex on', params: '"startIndex":1,"numToFetch":2', answer: numbered(1, 2) },
  ])('$rule', async ({ params, answer }) => {
    expect(await call(await indexed(), 'P/block', 'getContainerRange', `{${params},"encoding":"hex"}`)).toEqual(answer);
  });
});

it('a range has at most 1024 containers, and its start may be up to 2^64-1', async () => {
  const node = await indexed('chains: { P: { history: 1100, blockInterval: 1h }, X: null, C: null }');
  const range = async (start: string, count: string): Promise<unknown> =>
    call(node, 'P/block', 'getContainerRange', `{"startIndex":"${start}","numToFetch":"${count}","encoding":"hex"}`);
  const { result } = Object(await range('50', '1024'));
  expect([result.length, result.at(0).index, result.at(-1).index]).toEqual([1024, '50', '1073']);
  expect(await range('50', '1025')).toEqual(failure('numToFetch must be in [0,1024] but is 1025'));
  expect(await range('1099', '1024')).toEqual(numbered(1099));
  expect(await range('18446744073709551615', '1024')).toEqual(
    failure('start index (18446744073709551615) > last accepted index (1099)'),
  );
});

describe('encoding', () => {
  it('the only allowed value is hex, on every method; missing means hex', async () => {
    const node = await indexed();
    const { result } = Object(await call(node, 'P/block', 'getLastAccepted', '{}'));
    const calls: readonly (readonly [method: string, params: string])[] = [
      ['getLastAccepted', ''],
      ['getContainerByIndex', '"index":0,'],
      ['getContainerByID', `"id":"${result.id}",`],
      ['getContainerRange', '"startIndex":0,"numToFetch":1,'],
      ['getIndex', `"id":"${result.id}",`],
      ['isAccepted', `"id":"${result.id}",`],
    ];
    for (const [method, params] of calls) {
      expect(await call(node, 'P/block', method, `{${params}"encoding":"hex"}`)).toHaveProperty('result');
      for (const encoding of ['"hexnc"', '"HEX"', '"json"', '"cb58"', '""', '0'])
        expect([method, await call(node, 'P/block', method, `{${params}"encoding":${encoding}}`)]).toEqual([
          method,
          failure(argumentError),
        ]);
    }
  });
});
