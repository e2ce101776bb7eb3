// Errors with which a node refuses requests, by their text: the interface documents none, and all have one code. Seen on a real node.

import { type RpcError, rpcErrorCodes } from './rpc.ts';

export const nothingAccepted = /no containers have been accepted/;
/** The number is beyond the last container, or the index has lost its container. */
export const noContainer = /no container at index|couldn't read from database: not found$/;
/** The index has the container of a number, and has lost the number of its id. */
export const noNumber = /couldn't get index: not found$/;
/** Other errors of the database may contain these words. */
export const notFound = /(?:^|(?:database|index): )not found$/;

/** The request was valid, and this is the response. */
const absences: readonly RegExp[] = [nothingAccepted, noContainer, notFound, /> last accepted index/];

const refusals: readonly RegExp[] = [
  ...absences,
  /numToFetch must be in/,
  /couldn't unmarshal an argument/,
  /unsupported encoding/,
  /^rpc: /,
  /must start with a non-uppercase letter/,
];

/** The same request would be refused again. Any other error is a problem of the node, such as its database, and may disappear. */
export const isRefusal = ({ code, message }: RpcError): boolean =>
  code !== rpcErrorCodes.server || refusals.some((refusal) => refusal.test(message));

/** The index does not contain what was requested. Other refusals mean that the request was invalid. */
export const isAbsence = ({ code, message }: RpcError): boolean =>
  code === rpcErrorCodes.server && absences.some((absence) => absence.test(message));
