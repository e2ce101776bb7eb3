// The six methods of an index, as JSON-RPC service `index`.

import { maxFetchedByRange } from '../../protocol/container.ts';
import type { Dialect } from '../dialect.ts';
import { badArguments, type MethodReply, type Params, type RpcMethod, type RpcService } from '../rpc-server.ts';
import { encodingArgument, idArgument, uint64Argument } from './arguments.ts';
import type { IndexReader } from './container-index.ts';
import { containerJson, type Encoding } from './container-json.ts';
import type { WriteRange } from './range-json.ts';

const refused = (message: string): MethodReply => ({ kind: 'error', message });
const result = (value: unknown): MethodReply => ({ kind: 'result', result: value });

const nothingAccepted = refused('no containers have been accepted');
const notFound = refused('not found');
const unsupported = refused('unsupported encoding in method');

export const indexService = (index: IndexReader, dialect: Dialect, writeRange: WriteRange): RpcService => {
  const method =
    (answer: (params: Params, encoding: Encoding | 'json') => Promise<MethodReply>): RpcMethod =>
    async (params) => {
      const encoding = encodingArgument(params, dialect);
      return encoding === undefined ? badArguments : orStoreError(() => answer(params, encoding));
    };

  /** The interface gives these two an `encoding` as well; the real node never looks at it. */
  const withoutEncoding = (answer: (params: Params) => Promise<MethodReply>): RpcMethod =>
    dialect === 'documented' ? method(answer) : (params) => orStoreError(() => answer(params));

  const getContainerRange = async (params: Params, encoding: Encoding | 'json'): Promise<MethodReply> => {
    const start = uint64Argument(params, 'startindex');
    const wanted = uint64Argument(params, 'numtofetch');
    if (start === undefined || wanted === undefined) return badArguments;
    if (wanted === 0n && dialect === 'documented') return result(null);
    if (wanted === 0n || wanted > BigInt(maxFetchedByRange)) {
      const least = dialect === 'documented' ? 0 : 1;
      return refused(`numToFetch must be in [${least},${maxFetchedByRange}] but is ${wanted}`);
    }
    const last = index.last();
    if (last === undefined) return nothingAccepted;
    if (start > BigInt(last)) return refused(`start index (${start}) > last accepted index (${last})`);
    const found = await index.range(Number(start), Math.min(Number(wanted), last - Number(start) + 1));
    if (encoding === 'json') return unsupported;
    const shape = dialect === 'documented' ? (['[', ']'] as const) : (['{"containers":[', ']}'] as const);
    const written = writeRange(found, encoding, shape);
    index.release(found);
    return { kind: 'long', ...written };
  };

  const container = async (
    number: number | undefined,
    encoding: Encoding | 'json',
    missing: MethodReply,
  ): Promise<MethodReply> => {
    const packed = number === undefined ? undefined : await index.byNumber(number);
    if (packed === undefined) return missing;
    const json = encoding === 'json' ? undefined : containerJson(packed, encoding);
    index.release([packed]);
    return json === undefined ? unsupported : { kind: 'raw', json };
  };

  return {
    name: 'index',
    methods: new Map<string, RpcMethod>([
      [
        'getLastAccepted',
        method(async (_, encoding) => {
          return container(index.last(), encoding, nothingAccepted);
        }),
      ],
      [
        'getContainerByIndex',
        method(async (params, encoding) => {
          const number = uint64Argument(params, 'index');
          if (number === undefined) return badArguments;
          const missing = refused(`no container at index ${number}`);
          if (number > BigInt(index.last() ?? -1)) return missing;
          return container(Number(number), encoding, missing);
        }),
      ],
      [
        'getContainerByID',
        method(async (params, encoding) => {
          const id = idArgument(params);
          if (id === undefined) return badArguments;
          return container(await index.numberOfId(id), encoding, notFound);
        }),
      ],
      ['getContainerRange', method(getContainerRange)],
      [
        'getIndex',
        withoutEncoding(async (params) => {
          const id = idArgument(params);
          if (id === undefined) return badArguments;
          const number = await index.numberOfId(id);
          return number === undefined ? notFound : result({ index: number.toString() });
        }),
      ],
      [
        'isAccepted',
        withoutEncoding(async (params) => {
          const id = idArgument(params);
          return id === undefined ? badArguments : result({ isAccepted: (await index.numberOfId(id)) !== undefined });
        }),
      ],
    ]),
  };
};

/** A store that cannot be read is said to the caller, as the node says its database errors; the next call may succeed. */
const orStoreError = async (answer: () => Promise<MethodReply>): Promise<MethodReply> => {
  try {
    return await answer();
  } catch (error) {
    return refused(error instanceof Error ? error.message : String(error));
  }
};
