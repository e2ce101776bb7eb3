// What a node refuses, by its words: the interface gives none, and every error of a method has one code. Seen on a real node.

import { type RpcError, rpcErrorCodes } from './rpc.ts';

export const nothingAccepted = /no containers have been accepted/;
export const noContainer = /no container at index/;
export const notFound = /not found/;

/** The question was understood, and this is its answer. */
const absences: readonly RegExp[] = [nothingAccepted, noContainer, notFound, /> last accepted index/];

const refusals: readonly RegExp[] = [
  ...absences,
  /numToFetch must be in/,
  /couldn't unmarshal an argument/,
  /unsupported encoding/,
  /^rpc: /,
  /must start with a non-uppercase letter/,
];

/** The same question is refused again. Whatever else an error says is the node's own trouble, as of its database, and may pass. */
export const isRefusal = ({ code, message }: RpcError): boolean =>
  code !== rpcErrorCodes.server || refusals.some((refusal) => refusal.test(message));

/** The index does not hold what was asked for. What else is refused is no answer: the question was not taken. */
export const isAbsence = ({ code, message }: RpcError): boolean =>
  code === rpcErrorCodes.server && absences.some((absence) => absence.test(message));
