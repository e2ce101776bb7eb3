// The JSON-RPC 2.0 envelope, as the node speaks it: HTTP 200 for every answer, no batches.

import * as z from 'zod/mini';

export const jsonContentType = 'application/json';

/** What the node was seen to send. Everything that a method itself refuses is -32000. */
export const rpcErrorCodes = { parse: -32700, invalidRequest: -32600, server: -32000 } as const;

/** Of every request: HTTP says which answer belongs to which. An answer to another one was made for somebody else. */
export const requestId = 1;

export const rpcRequest = (method: string, params?: object) => ({ jsonrpc: '2.0', id: requestId, method, params });

const rpcError = z.object({ code: z.number(), message: z.string() });

/** Either member may be missing on the wire, and an error that is null is none. `result` is absent whenever there is an error. */
export const rpcResponse = z.object({
  jsonrpc: z.literal('2.0'),
  /** null where the node could not read that of the request. */
  id: z.optional(z.unknown()),
  result: z.optional(z.unknown()),
  error: z.optional(z.nullable(rpcError)),
});

export type RpcError = z.infer<typeof rpcError>;
