// A request with its response and outcome, for `snowgauge debug`.

import type { GetName, GetResultOf, MethodName, ResultOf } from '../protocol/methods.ts';
import type { Exchange } from './ask.ts';
import type { Outcome } from './outcome.ts';
import type { Question } from './transport.ts';

export type TracedQuestion = Question & { readonly rpc?: MethodName };

export type Traced = Readonly<ReturnType<typeof tracedOf>>;

export type Understood = GetResultOf<GetName> | ResultOf<MethodName>;

/** `order`: counted from 1 in the order of sending; 0 if the request was never sent, when `trace` is undefined too. */
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
  /** Size of the decompressed body. */
  bytes: Buffer.isBuffer(end) ? end.length : undefined,
  trace,
  outcome,
});
