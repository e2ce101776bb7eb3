// What a node refuses, by its words: the interface gives none, and every error of a method has one code. Seen on a real node.

import { type RpcError, rpcErrorCodes } from './rpc.ts';

export const nothingAccepted = /no containers have been accepted/;
export const noContainer = /no container at index/;
export const notFound = /not found/;

const refusals: readonly RegExp[] = [
  nothingAccepted,
  noContainer,
  notFound,
  /> last accepted index/,
  /numToFetch must be in/,
  /couldn't unmarshal an argument/,
  /unsupported encoding/,
  /^rpc: /,
  /must start with a non-uppercase letter/,
];

/** The same question is refused again. Whatever else an error says is the node's own trouble, as of its database, and may pass. */
export const isRefusal = ({ code, message }: RpcError): boolean =>
  code !== rpcErrorCodes.server || refusals.some((refusal) => refusal.test(message));
