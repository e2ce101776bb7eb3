// One table for both ends: what each JSON-RPC method takes and gives. Client and embedded node take their types from it, so
// that a row more is a row that each must answer.

import * as z from 'zod/mini';
import { container, uint64 } from './container.ts';
import { healthReport } from './health.ts';

const tags = z.object({ tags: z.optional(z.array(z.string())) });
const encoding = z.optional(z.string());

const method = <Params extends z.core.$ZodType, Result extends z.core.$ZodType>(params: Params, result: Result) => ({
  params,
  result,
});

export const healthMethods = {
  'health.health': method(tags, healthReport),
  'health.readiness': method(tags, healthReport),
  'health.liveness': method(tags, healthReport),
} as const;

// The interface says an array, a real node answers an object: both are an answer. `null` is what numToFetch 0 gives.
const range = z.pipe(
  z.union([z.array(container), z.object({ containers: z.array(container) }), z.null()]),
  z.transform((wire) => (wire === null ? [] : Array.isArray(wire) ? wire : wire.containers)),
);

export const indexMethods = {
  'index.getContainerByID': method(z.object({ id: z.string(), encoding }), container),
  'index.getContainerByIndex': method(z.object({ index: z.bigint(), encoding }), container),
  'index.getContainerRange': method(z.object({ startIndex: z.bigint(), numToFetch: z.bigint(), encoding }), range),
  'index.getIndex': method(z.object({ id: z.string(), encoding }), z.object({ index: uint64 })),
  'index.getLastAccepted': method(z.object({ encoding }), container),
  'index.isAccepted': method(z.object({ id: z.string(), encoding }), z.object({ isAccepted: z.boolean() })),
} as const;

export const methods = { ...healthMethods, ...indexMethods } as const;

export type Methods = typeof methods;
export type MethodName = keyof Methods;
export type ParamsOf<M extends MethodName> = z.input<Methods[M]['params']>;
export type ResultOf<M extends MethodName> = z.output<Methods[M]['result']>;
