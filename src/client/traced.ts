// One question of a client with what became of it, for a person who asks what happens (`snowgauge debug`).

import type { GetName, GetResultOf, MethodName, ResultOf } from '../protocol/methods.ts';
import type { Exchange } from './ask.ts';
import type { Outcome } from './outcome.ts';
import type { Question } from './transport.ts';

export type TracedQuestion = Question & { readonly rpc?: MethodName };

export type Traced = Readonly<ReturnType<typeof tracedOf>>;

export type Understood = GetResultOf<GetName> | ResultOf<MethodName>;

/** `order`: from 1, in the order in which they were sent; 0 where it never was, as `trace` is undefined then. */
export const tracedOf = (
  { path, rpc }: TracedQuestion,
  { head, end, trace }: Exchange,
  outcome: Outcome<Understood>,
  order: number,
) => ({
  order,
  method: rpc === undefined ? 'GET' : 'POST',
  path,
  rpc,
  status: head?.status,
  /** Of the whole body, decompressed. */
  bytes: Buffer.isBuffer(end) ? end.length : undefined,
  trace,
  outcome,
});
