// Parses method parameters as the node does: quoted and plain uint64, cb58 ids, encodings, arrays of strings. Which
// method takes which is in the method table.

import { maxUint64 } from '../protocol/container.ts';
import { decodeId, isExactNodeId, primaryNetworkId, zeroNodeId } from '../protocol/id.ts';
import { type MethodName, type Methods, methods, type ParamKind } from '../protocol/methods.ts';
import type { Dialect } from './dialect.ts';
import { goTextOf } from './json-scan.ts';
import type { Params } from './rpc-call.ts';

/** Encoding of a container's bytes. */
export type ContainerEncoding = 'hex' | 'hexc' | 'hexnc';

/** Argument types by kind of parameter, also if the client omits it. */
interface ArgumentTypes {
  readonly id: string;
  readonly 'id?': string;
  readonly 'nodeIds?': readonly string[];
  readonly uint64: bigint;
  /** The real node parses `json`, and refuses it where it would have to encode it. */
  readonly 'encoding?': ContainerEncoding | 'json';
  readonly 'text?': string;
  readonly 'texts?': readonly string[];
}

/** Arguments of a method's handler, by the names and kinds of its row. */
export type ArgumentsOf<M extends MethodName> = {
  readonly [N in keyof Methods[M]['params']]: ArgumentTypes[Methods[M]['params'][N] & ParamKind];
};

/** For an id, NodeID, encoding or uint64, Go parses the raw JSON text: escaped strings are invalid. */
interface Reader<T> {
  /** Undefined on an argument error. */
  readonly read: (raw: string, dialect: Dialect) => T | undefined;
  /** Value of a missing parameter. */
  readonly missing: T;
}

const readId = (raw: string): string | undefined => {
  const [, text = ''] = /^"(.*)"$/.exec(raw) ?? [];
  return decodeId(text) === undefined ? undefined : text;
};
const id = { read: readId, missing: primaryNetworkId };

/** `absent`: value that Go reads a null element as. */
const readTexts = (raw: string, absent: string): readonly string[] | undefined => {
  const values: unknown = JSON.parse(raw);
  if (!Array.isArray(values)) return undefined;
  const texts = values.map((one: unknown) => one ?? absent);
  return texts.every((one) => typeof one === 'string') ? texts : undefined;
};

const encodings = ['hex', 'hexc', 'hexnc', 'json'] as const;

const readers: { readonly [K in ParamKind]: Reader<ArgumentTypes[K]> } = {
  /** Digits, quoted or not, up to 2^64-1: 1.0, 1e0, -1, "", " 0" and "0x0" are errors. */
  uint64: {
    read: (raw) => {
      const [, , digits] = /^("?)(\d+)\1$/.exec(raw) ?? [];
      // Any number of leading zeros is valid. Without them, more digits than 2^64-1 has need not be parsed.
      const significant = digits?.replace(/^0+(?=\d)/, '');
      const number = significant === undefined || significant.length > 20 ? undefined : BigInt(significant);
      return number !== undefined && number <= maxUint64 ? number : undefined;
    },
    missing: 0n,
  },
  id,
  'id?': id,
  'encoding?': {
    read: (raw, dialect) => {
      if (dialect === 'documented') return raw === '"hex"' ? 'hex' : undefined;
      return encodings.find((encoding) => raw.toLowerCase() === `"${encoding}"`);
    },
    missing: 'hex',
  },
  'text?': { read: (raw) => (raw.startsWith('"') ? goTextOf(raw) : undefined), missing: '' },
  'texts?': { read: (raw) => readTexts(raw, ''), missing: [] },
  'nodeIds?': {
    read: (raw) => {
      const ids = raw.includes('\\') ? undefined : readTexts(raw, zeroNodeId);
      return ids?.every(isExactNodeId) ? ids : undefined;
    },
    missing: [],
  },
};

/** The interface gives these two an `encoding` as well; the real node ignores it. */
const ignoresEncoding: ReadonlySet<MethodName> = new Set(['index.getIndex', 'index.isAccepted']);

/** Undefined if one of them cannot be parsed. */
export const readArguments = <M extends MethodName>(method: M, params: Params, dialect: Dialect): ArgumentsOf<M> | undefined => {
  const read: Record<string, unknown> = {};
  for (const [name, kind] of kindsOf(method)) {
    const isIgnored = kind === 'encoding?' && dialect === 'avalanchego' && ignoresEncoding.has(method);
    const given = params.flatMap(([one, raw]) => (one === name.toLowerCase() && !isIgnored ? [raw] : []));
    const value = lastOf(readers[kind], given, dialect);
    if (value === undefined) return undefined;
    read[name] = value;
  }
  return isWhole(method, read) ? read : undefined;
};

/** Each value of a repeated parameter must be valid; the last counts. A null changes nothing, but empties a list. */
const lastOf = (reader: Reader<unknown>, given: readonly string[], dialect: Dialect): unknown => {
  let last = reader.missing;
  for (const raw of given) {
    if (raw !== 'null') last = reader.read(raw, dialect);
    else if (Array.isArray(last)) last = reader.missing;
    if (last === undefined) return undefined;
  }
  return last;
};

const kindsOf = (method: MethodName): readonly (readonly [name: string, kind: ParamKind])[] =>
  Object.entries<ParamKind>(methods[method].params);

const isWhole = <M extends MethodName>(method: M, read: object): read is ArgumentsOf<M> =>
  kindsOf(method).every(([name]) => name in read);
