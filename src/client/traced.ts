// One question of a client with what became of it, for a person who asks what happens (`snowgauge debug`).

import type { GetName, GetResultOf, MethodName, ResultOf } from '../protocol/methods.ts';
import type { Exchange } from './ask.ts';
import type { Outcome } from './outcome.ts';
import type { RequestTrace } from './trace.ts';
import type { Question } from './transport.ts';

export type Asked = Question & { readonly rpc?: MethodName };

export interface Traced {
  /** From 1, in the order in which they were sent; 0 where it never was. */
  readonly order: number;
  readonly method: 'GET' | 'POST';
  /** As sent: query included. */
  readonly path: string;
  readonly rpc: MethodName | undefined;
  readonly status: number | undefined;
  /** Of the whole body, decompressed. */
  readonly bytes: number | undefined;
  /** Undefined where it was never sent. */
  readonly trace: RequestTrace | undefined;
  readonly outcome: Outcome<Understood>;
}

export type Understood = GetResultOf<GetName> | ResultOf<MethodName>;

export const tracedOf = (
  { path, rpc }: Asked,
  { head, end, trace }: Exchange,
  outcome: Traced['outcome'],
  order: number,
): Traced => ({
  order,
  method: rpc === undefined ? 'GET' : 'POST',
  path,
  rpc,
  status: head?.status,
  bytes: Buffer.isBuffer(end) ? end.length : undefined,
  trace,
  outcome,
});
