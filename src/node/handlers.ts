// Binds the node's methods to the method table: one handler per row, with the row's names and types.

import { type MethodName, type MethodOf, methodsOf, type WireOf } from '../protocol/methods.ts';
import type { ServiceName } from '../protocol/paths.ts';
import { type ArgumentsOf, readArguments } from './arguments.ts';
import type { Dialect } from './dialect.ts';
import type { MethodReply, RpcMethod, RpcService } from './rpc-server.ts';

export type Handler<M extends MethodName> = (args: ArgumentsOf<M>) => MethodReply<WireOf<M>> | Promise<MethodReply<WireOf<M>>>;

/** Exactly one per method of the service. */
export type Handlers<Service extends ServiceName> = { readonly [M in MethodOf<Service>]: Handler<M> };

export const serviceOf = <Service extends ServiceName>(
  name: Service,
  handlers: Handlers<Service>,
  dialect: Dialect,
): RpcService<Service> => {
  const bound = <M extends MethodOf<Service>>(method: M): readonly [string, RpcMethod] => {
    const handler: Handler<M> = handlers[method];
    return [
      method.slice(name.length + 1),
      (params) => {
        const args = readArguments(method, params, dialect);
        return args === undefined ? undefined : handler(args);
      },
    ];
  };
  return { name, methods: new Map(methodsOf(name).map(bound)) };
};
