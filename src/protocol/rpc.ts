// The JSON-RPC 2.0 envelope as used by the node: HTTP 200 for every response, no batches.

import * as z from 'zod/mini';

export const jsonContentType = 'application/json';

/** Codes that a real node sends. All errors of a method itself are -32000. */
export const rpcErrorCodes = { parse: -32700, invalidRequest: -32600, server: -32000 } as const;

/** The same ID for all requests, because HTTP matches responses to requests. A response with another ID is for another client. */
export const requestId = 1;

export const rpcRequest = (method: string, params: object) => ({ jsonrpc: '2.0', id: requestId, method, params });

const rpcError = z.object({ code: z.number(), message: z.string() });

/** Either field may be missing, and an error that is null is no error. `result` is missing if there is an error. */
export const rpcResponse = z.object({
  jsonrpc: z.literal('2.0'),
  /** Null if the node could not read the ID of the request. */
  id: z.optional(z.unknown()),
  result: z.optional(z.unknown()),
  error: z.optional(z.nullable(rpcError)),
});

export type RpcError = z.infer<typeof rpcError>;
