// The six methods of an index, as JSON-RPC service `index`.

import { maxFetchedByRange, type WireContainer } from '../../protocol/container.ts';
import { checksumLength } from '../../protocol/id.ts';
import type { WireOf } from '../../protocol/methods.ts';
import type { ContainerEncoding } from '../arguments.ts';
import type { Dialect } from '../dialect.ts';
import type { Json } from '../go-json.ts';
import { type Handler, type Handlers, serviceOf } from '../handlers.ts';
import { type MethodReply, type RpcService, refused, returned } from '../rpc-server.ts';
import type { IndexReader } from './container-index.ts';
import type { NumberedContainer } from './stored-container.ts';

const nothingAccepted = refused('no containers have been accepted');
const notFound = refused('not found');
/** The number is in use, but its record is missing. */
const lostRecord = "couldn't read from database: not found";
const unsupported = refused('unsupported encoding in method');

/** Needs no escapes: base58, hex, digits and RFC 3339. */
const containerJson = (
  { id, checked, timestamp, number }: NumberedContainer,
  encoding: ContainerEncoding,
): Json<WireContainer> => {
  const hex = checked.toString('hex', 0, checked.length - (encoding === 'hexnc' ? checksumLength : 0));
  const json = `{"id":"${id}","bytes":"0x${hex}","timestamp":"${timestamp}","encoding":"${encoding}","index":"${number}"}`;
  return json as Json<WireContainer>;
};

const rangeJson = (containers: readonly Json<WireContainer>[], dialect: Dialect): Json<WireOf<'index.getContainerRange'>> => {
  const array = `[${containers.join(',')}]`;
  return (dialect === 'documented' ? array : `{"containers":${array}}`) as Json<WireOf<'index.getContainerRange'>>;
};

export const indexService = (index: IndexReader, dialect: Dialect): RpcService<'index'> => {
  const getContainerRange: Handler<'index.getContainerRange'> = async ({ startIndex: start, numToFetch: wanted, encoding }) => {
    if (wanted === 0n && dialect === 'documented') return returned(null);
    if (wanted === 0n || wanted > BigInt(maxFetchedByRange)) {
      const min = dialect === 'documented' ? 0 : 1;
      return refused(`numToFetch must be in [${min},${maxFetchedByRange}] but is ${wanted}`);
    }
    const last = index.last();
    if (last === undefined) return nothingAccepted;
    if (start > BigInt(last)) return refused(`start index (${start}) > last accepted index (${last})`);
    const first = Number(start);
    const count = Math.min(Number(wanted), last - first + 1);
    const found = await index.range(first, count);
    const lost = first + found.filter(({ number }, at) => number === first + at).length;
    if (lost < first + count) return refused(`couldn't get container at index ${lost}: ${lostRecord}`);
    if (encoding === 'json') return unsupported;
    const containers = found.map((one) => containerJson(one, encoding));
    return { kind: 'result', json: rangeJson(containers, dialect) };
  };

  const container = async (
    number: number | undefined,
    encoding: ContainerEncoding | 'json',
    missing: MethodReply<never>,
  ): Promise<MethodReply<WireContainer>> => {
    if (number === undefined) return missing;
    const [found] = await index.range(number, 1);
    if (found === undefined) return refused(lostRecord);
    return encoding === 'json' ? unsupported : { kind: 'result', json: containerJson(found, encoding) };
  };

  const handlers: Handlers<'index'> = {
    'index.getLastAccepted': orStoreError(({ encoding }) => container(index.last(), encoding, nothingAccepted)),
    'index.getContainerByIndex': orStoreError(({ index: number, encoding }) => {
      const isBeyond = number > BigInt(index.last() ?? -1);
      return container(isBeyond ? undefined : Number(number), encoding, refused(`no container at index ${number}`));
    }),
    'index.getContainerByID': orStoreError(async ({ id, encoding }) => container(await index.numberOfId(id), encoding, notFound)),
    'index.getContainerRange': orStoreError(getContainerRange),
    'index.getIndex': orStoreError(async ({ id }) => {
      const number = await index.numberOfId(id);
      return number === undefined ? notFound : returned({ index: number.toString() });
    }),
    'index.isAccepted': orStoreError(async ({ id }) => returned({ isAccepted: (await index.numberOfId(id)) !== undefined })),
  };
  return serviceOf('index', handlers, dialect);
};

/** Returns the error of an unreadable store to the client, as the real node does with database errors. */
const orStoreError =
  <Args, Wire>(answer: (args: Args) => MethodReply<Wire> | Promise<MethodReply<Wire>>) =>
  async (args: Args): Promise<MethodReply<Wire>> => {
    try {
      return await answer(args);
    } catch (error) {
      return refused(error instanceof Error ? error.message : String(error));
    }
  };
