// Reads the parameters of the index methods as the node does: quoted and plain uint64, cb58 ids, encodings.

import { isLosslessNumber } from 'lossless-json';
import { maxUint64 } from '../../protocol/container.ts';
import { decodeId, primaryNetworkId } from '../../protocol/id.ts';
import type { Dialect } from '../dialect.ts';
import type { Params } from '../rpc-server.ts';
import type { Encoding } from './container-json.ts';

/** undefined: an argument error. */
type Argument<T> = T | undefined;

/** Digits, quoted or not, up to 2^64-1. Missing and null are 0; 1.0, 1e0, -1, "", " 0" and "0x0" are errors. */
export const uint64Argument = (params: Params, name: string): Argument<bigint> => {
  const value = params.get(name);
  if (value === undefined || value === null) return 0n;
  const text = isLosslessNumber(value) ? value.value : value;
  if (typeof text !== 'string' || !/^\d+$/.test(text)) return undefined;
  // Leading zeros are fine, in any number: without them a number of more digits than 2^64-1 need not be read.
  const digits = text.replace(/^0+(?=\d)/, '');
  const number = digits.length > 20 ? maxUint64 + 1n : BigInt(digits);
  return number > maxUint64 ? undefined : number;
};

/** cb58 of 32 bytes. Missing and null are the zero id. */
export const idArgument = (params: Params): Argument<string> => {
  const value = params.get('id') ?? primaryNetworkId;
  return typeof value === 'string' && decodeId(value) !== undefined ? value : undefined;
};

/** `json` is read by the real node, and refused where it would have to be written. */
export const encodingArgument = (params: Params, dialect: Dialect): Argument<Encoding | 'json'> => {
  const value = params.get('encoding') ?? 'hex';
  if (dialect === 'documented') return value === 'hex' ? value : undefined;
  const text = typeof value === 'string' ? value.toLowerCase() : '';
  return text === 'hex' || text === 'hexc' || text === 'hexnc' || text === 'json' ? text : undefined;
};
