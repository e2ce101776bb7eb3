// Reads the parameters of the methods as the node does: quoted and plain uint64, cb58 ids, encodings, arrays of strings. Which
// method takes which is the table of questions.

import { maxUint64 } from '../protocol/container.ts';
import { decodeId, isExactNodeId, primaryNetworkId, zeroNodeId } from '../protocol/id.ts';
import { type MethodName, type Methods, methods, type ParamKind } from '../protocol/methods.ts';
import type { Dialect } from './dialect.ts';
import { goTextOf } from './json-scan.ts';
import type { Params } from './rpc-call.ts';

/** Of a container's bytes. */
export type ContainerEncoding = 'hex' | 'hexc' | 'hexnc';

/** What a handler gets of a parameter of each kind, also where the caller left it out. */
interface ArgumentTypes {
  readonly id: string;
  readonly 'id?': string;
  readonly 'nodeIds?': readonly string[];
  readonly uint64: bigint;
  /** `json` is read by the real node, and refused where it would have to be written. */
  readonly 'encoding?': ContainerEncoding | 'json';
  readonly 'text?': string;
  readonly 'texts?': readonly string[];
}

/** What a method's handler gets, by the names and kinds of its row. */
export type ArgumentsOf<M extends MethodName> = {
  readonly [N in keyof Methods[M]['params']]: ArgumentTypes[Methods[M]['params'][N] & ParamKind];
};

/** Of an id, a NodeID, an encoding and a uint64 Go reads the JSON text itself: in an escaped string it finds none. */
interface Reader<T> {
  /** Undefined: an argument error. */
  readonly read: (raw: string, dialect: Dialect) => T | undefined;
  /** What a missing one is. */
  readonly missing: T;
}

const readId = (raw: string): string | undefined => {
  const [, text = ''] = /^"(.*)"$/.exec(raw) ?? [];
  return decodeId(text) === undefined ? undefined : text;
};
const id = { read: readId, missing: primaryNetworkId };

/** `absent`: what Go reads a null among them as. */
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
      // Leading zeros are fine, in any number: without them a number of more digits than 2^64-1 need not be read.
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

/** The interface gives these two an `encoding` as well; the real node never looks at it. */
const ignoresEncoding: ReadonlySet<MethodName> = new Set(['index.getIndex', 'index.isAccepted']);

/** Undefined where one of them cannot be read. */
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

/** Of a parameter that is given more than once each has to be right, and a null changes nothing, but that it empties a list. */
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
