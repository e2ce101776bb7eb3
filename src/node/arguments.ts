// Reads the parameters of the methods as the node does: quoted and plain uint64, cb58 ids, encodings, arrays of strings. Which
// method takes which is the table of questions.

import { isLosslessNumber } from 'lossless-json';
import { maxUint64 } from '../protocol/container.ts';
import { decodeId, isExactNodeId, primaryNetworkId, zeroNodeId } from '../protocol/id.ts';
import { type MethodName, type Methods, methods, type ParamKind } from '../protocol/methods.ts';
import type { Dialect } from './dialect.ts';
import type { Params } from './rpc-server.ts';

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

/** cb58 of 32 bytes. Missing and null are the zero id. */
const readId = (sent: unknown): string | undefined => {
  const text = sent ?? primaryNetworkId;
  return typeof text === 'string' && decodeId(text) !== undefined ? text : undefined;
};

/** `absent`: what Go reads a null among them as. */
const readTexts = (sent: unknown, absent: string): readonly string[] | undefined => {
  const values = sent ?? [];
  if (!Array.isArray(values)) return undefined;
  const texts = values.map((one: unknown) => one ?? absent);
  return texts.every((one) => typeof one === 'string') ? texts : undefined;
};

/** Undefined: an argument error. */
type Readers = { readonly [K in ParamKind]: (sent: unknown, dialect: Dialect) => ArgumentTypes[K] | undefined };

const readers: Readers = {
  /** Digits, quoted or not, up to 2^64-1. Missing and null are 0; 1.0, 1e0, -1, "", " 0" and "0x0" are errors. */
  uint64: (sent) => {
    if (sent === undefined || sent === null) return 0n;
    const text = isLosslessNumber(sent) ? sent.value : sent;
    if (typeof text !== 'string' || !/^\d+$/.test(text)) return undefined;
    // Leading zeros are fine, in any number: without them a number of more digits than 2^64-1 need not be read.
    const digits = text.replace(/^0+(?=\d)/, '');
    const number = digits.length > 20 ? maxUint64 + 1n : BigInt(digits);
    return number > maxUint64 ? undefined : number;
  },
  id: readId,
  'id?': readId,
  'encoding?': (sent, dialect) => {
    const value = sent ?? 'hex';
    if (dialect === 'documented') return value === 'hex' ? value : undefined;
    const text = typeof value === 'string' ? value.toLowerCase() : '';
    return text === 'hex' || text === 'hexc' || text === 'hexnc' || text === 'json' ? text : undefined;
  },
  'text?': (sent) => (typeof (sent ?? '') === 'string' ? String(sent ?? '') : undefined),
  'texts?': (sent) => readTexts(sent, ''),
  'nodeIds?': (sent) => {
    const ids = readTexts(sent, zeroNodeId);
    return ids?.every(isExactNodeId) ? ids : undefined;
  },
};

/** The interface gives these two an `encoding` as well; the real node never looks at it. */
const ignoresEncoding: ReadonlySet<MethodName> = new Set(['index.getIndex', 'index.isAccepted']);

/** Undefined where one of them cannot be read. */
export const readArguments = <M extends MethodName>(method: M, params: Params, dialect: Dialect): ArgumentsOf<M> | undefined => {
  const read: Record<string, unknown> = {};
  for (const [name, kind] of kindsOf(method)) {
    const isIgnored = kind === 'encoding?' && dialect === 'avalanchego' && ignoresEncoding.has(method);
    const value = readers[kind](isIgnored ? undefined : params.get(name.toLowerCase()), dialect);
    if (value === undefined) return undefined;
    read[name] = value;
  }
  return isWhole(method, read) ? read : undefined;
};

const kindsOf = (method: MethodName): readonly (readonly [name: string, kind: ParamKind])[] =>
  Object.entries<ParamKind>(methods[method].params);

const isWhole = <M extends MethodName>(method: M, read: object): read is ArgumentsOf<M> =>
  kindsOf(method).every(([name]) => name in read);
