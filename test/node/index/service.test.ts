// Index methods in cases that no captured response covers: missing containers, and a store that cannot be read.

import { describe, expect, it } from 'vitest';
import type { Dialect } from '../../../src/node/dialect.ts';
import { openIndex } from '../../../src/node/index/container-index.ts';
import { openMemoryStore } from '../../../src/node/index/memory-store.ts';
import { indexService } from '../../../src/node/index/service.ts';
import { type Store, StoreFailure } from '../../../src/node/index/store.ts';
import { hashedContainer } from '../../../src/node/index/stored-container.ts';
import type { MethodReply } from '../../../src/node/rpc-server.ts';
import { appendTo } from '../../support/node-store.ts';

const name = 'P/block';
const [first, other] = ['first', 'other'].map((text) => hashedContainer(Buffer.from(text)));
const id = first?.id ?? '';

type Ask = (method: string, params?: Readonly<Record<string, unknown>>) => Promise<MethodReply | undefined>;

/** The methods of an index with one container. */
const asking = async (dialect: Dialect, over: Partial<Store> = {}): Promise<Ask> => {
  const store = openMemoryStore();
  if (first !== undefined) await appendTo(store, name, [first], '2026-01-02T03:04:05Z');
  const index = await openIndex(store, name);
  // Only calls from now on fail.
  Object.assign(store, over);
  const { methods } = indexService(index, dialect);
  return async (method, params = {}) =>
    methods.get(method)?.(Object.entries(params).map(([key, value]) => [key.toLowerCase(), JSON.stringify(value)]));
};

const unsupported = { kind: 'error', message: 'unsupported encoding in method' };

describe('in the avalanchego dialect, the encoding `json` is rejected only for responses that contain a container', () => {
  it.each([
    { method: 'getLastAccepted', params: {}, reply: unsupported },
    { method: 'getContainerByIndex', params: { index: '0' }, reply: unsupported },
    { method: 'getContainerByIndex', params: { index: '1' }, reply: { kind: 'error', message: 'no container at index 1' } },
    { method: 'getContainerByID', params: { id }, reply: unsupported },
    { method: 'getContainerByID', params: { id: other?.id }, reply: { kind: 'error', message: 'not found' } },
    { method: 'getContainerRange', params: { numToFetch: '1' }, reply: unsupported },
    {
      method: 'getContainerRange',
      params: { startIndex: '1', numToFetch: '1' },
      reply: { kind: 'error', message: 'start index (1) > last accepted index (0)' },
    },
    { method: 'getIndex', params: { id }, reply: { kind: 'result', json: '{"index":"0"}' } },
    { method: 'isAccepted', params: { id }, reply: { kind: 'result', json: '{"isAccepted":true}' } },
  ])('$method $params', async ({ method, params, reply }) => {
    const ask = await asking('avalanchego');
    expect(await ask(method, { ...params, encoding: 'json' })).toEqual(reply);
  });
});

describe('a container that the store has lost is the database error of a real node', () => {
  const lost = "couldn't read from database: not found";
  it.each([
    { method: 'getLastAccepted', params: {}, message: lost },
    { method: 'getContainerByIndex', params: { index: '0' }, message: lost },
    { method: 'getContainerByID', params: { id }, message: lost },
    { method: 'getContainerRange', params: { numToFetch: '5' }, message: `couldn't get container at index 0: ${lost}` },
  ])('of $method', async ({ method, params, message }) => {
    for (const dialect of ['documented', 'avalanchego'] as const) {
      const ask = await asking(dialect, { getMany: async (keys) => keys.map(() => undefined) });
      expect(await ask(method, params)).toEqual({ kind: 'error', message });
    }
  });
});

describe('an I/O error of the store is returned to the caller', () => {
  const fails = async (): Promise<never> => {
    throw new StoreFailure('IO error: Input/output error');
  };
  it.each([
    { method: 'getLastAccepted', params: {} },
    { method: 'getContainerByIndex', params: { index: '0' } },
    { method: 'getContainerByID', params: { id } },
    { method: 'getContainerRange', params: { numToFetch: '1' } },
    { method: 'getIndex', params: { id } },
    { method: 'isAccepted', params: { id } },
  ])('of $method', async ({ method, params }) => {
    for (const dialect of ['documented', 'avalanchego'] as const) {
      const ask = await asking(dialect, { get: fails, getMany: fails });
      expect(await ask(method, params)).toEqual({ kind: 'error', message: 'IO error: Input/output error' });
    }
  });
});
