// JSON-RPC 2.0 as the node implements it. A service is a table of methods. JSON-RPC errors have HTTP status 200.

import { jsonContentType, rpcErrorCodes } from '../protocol/rpc.ts';
import { goCompact, goQuoted, goString, goStruct, type Json } from './go-json.ts';
import { emptyReply, type NodeReply, textReply } from './reply.ts';
import { type Call, type Params, readCall, readParams } from './rpc-call.ts';

export type MethodReply<Wire = unknown> =
  /** JSON as Go writes it. */
  | { readonly kind: 'result'; readonly json: Json<Wire> }
  /** Refusal by the method itself: code -32000. */
  | { readonly kind: 'error'; readonly message: string }
  /** A result that cannot be encoded as JSON: HTTP 500 and the encoder's message. */
  | { readonly kind: 'unencodable'; readonly message: string };

export const returned = <Wire>(value: Wire): MethodReply<Wire> => ({ kind: 'result', json: goStruct(value) });
export const refused = (message: string): MethodReply<never> => ({ kind: 'error', message });

/** Undefined if a parameter has the wrong type or form. */
export type RpcMethod = (params: Params) => MethodReply | undefined | Promise<MethodReply | undefined>;

export interface RpcService<Name extends string = string> {
  /** The part before the dot: `health`, `index`. */
  readonly name: Name;
  /** By the name after the dot, first letter in lower case: `getLastAccepted`. */
  readonly methods: ReadonlyMap<string, RpcMethod>;
}

/** The node's only message for parameters that it cannot parse. */
const argumentError =
  "couldn't unmarshal an argument. Ensure arguments are valid and properly formatted. See documentation for example calls";

/** Runs a method of the service; returns its reply, or one that replaces it. */
export type InTime = (service: RpcService, method: () => ReturnType<RpcMethod>) => Promise<MethodReply | undefined>;

export const answerRpc = async (service: RpcService, request: RpcHttpRequest, inTime: InTime): Promise<NodeReply> => {
  if (request.method !== 'POST') return textReply(405, `rpc: POST method required, received ${request.method}`);
  const { contentType } = request;
  if (!isJson(contentType)) return textReply(415, `rpc: unrecognized Content-Type: ${mediaTypeOf(contentType)}`);
  const call = readCall(request.body);
  if (call.error !== undefined) return envelopeError(call, rpcErrorCodes.parse, call.error);
  if (call.jsonrpc !== '2.0') return envelopeError(call, rpcErrorCodes.invalidRequest, 'jsonrpc must be 2.0');
  const method = findMethod(service, call.method);
  if (typeof method === 'string') return failed(call.id, method);
  const params = readParams(call.params);
  const reply = params === undefined ? undefined : await inTime(service, () => method(params));
  return reply === undefined ? failed(call.id, argumentError) : answer(call.id, reply);
};

const mediaTypeOf = (contentType = ''): string => contentType.split(';', 1)[0] ?? '';

export const isJson = (contentType: string | undefined): boolean => mediaTypeOf(contentType).toLowerCase() === jsonContentType;

interface RpcHttpRequest {
  readonly method: string;
  readonly contentType: string | undefined;
  readonly body: string;
}

/** Replies of methods that ran are marked by a header; errors of the envelope or the arguments are not. */
const answer = (id: string | undefined, reply: MethodReply): NodeReply => {
  switch (reply.kind) {
    case 'result':
      return marked(envelope(id, `"result":${reply.json}`));
    case 'error':
      return marked(failed(id, reply.message));
    case 'unencodable':
      return marked(id === undefined ? emptyReply(200) : textReply(500, reply.message));
    default:
      return reply satisfies never;
  }
};

const marked = (reply: NodeReply): NodeReply => ({
  ...reply,
  headers: [...reply.headers, ['X-Content-Type-Options', 'nosniff']],
});

// A call without an id is a notification: it runs, and its response is empty.
const envelope = (id: string | undefined, outcome: string): NodeReply =>
  id === undefined
    ? emptyReply(200)
    : {
        status: 200,
        headers: [['Content-Type', 'application/json; charset=utf-8']],
        body: `{"jsonrpc":"2.0",${outcome},"id":${id}}\n`,
      };

const errorMember = (code: number, message: string, data: string): string =>
  `"error":{"code":${code},"message":${goString(message)},"data":${data}}`;

const failed = (id: string | undefined, message: string): NodeReply =>
  envelope(id, errorMember(rpcErrorCodes.server, message, 'null'));

/** Errors of the envelope include the request as far as it was parsed. */
const envelopeError = (call: Call, code: number, message: string): NodeReply => {
  const params = goCompact(call.params ?? 'null');
  const seen = `{"jsonrpc":${goString(call.jsonrpc)},"method":${goString(call.method)},"params":${params},"id":${call.id ?? 'null'}}`;
  // An unreadable request may or may not be a notification: it gets a response.
  const id = call.error === undefined ? call.id : (call.id ?? 'null');
  return envelope(id, errorMember(code, message, seen));
};

/** The method, or the node's message why there is none. */
const findMethod = (service: RpcService, called: string): RpcMethod | string => {
  const dot = called.indexOf('.');
  const first = dot === -1 ? '' : String.fromCodePoint(called.codePointAt(dot + 1) ?? 0x20).trim();
  if (/^\p{Lu}/u.test(first)) return 'method must start with a non-uppercase letter';
  // The node looks up the method, and names it in errors, as Go spells it.
  const upper = first.toUpperCase();
  // A letter that JavaScript turns into several, such as ß, stays as it is.
  const goFirst = upper.length === first.length ? upper : first;
  const goName = `${called.slice(0, dot + 1)}${goFirst}${called.slice(dot + 1 + first.length)}`;
  const [name, method, ...more] = goName.split('.');
  if (method === undefined || more.length > 0) return `rpc: service/method request ill-formed: ${goQuoted(goName)}`;
  if (name !== service.name) return `rpc: can't find service ${goQuoted(goName)}`;
  return service.methods.get(called.slice(dot + 1)) ?? `rpc: can't find method ${goQuoted(goName)}`;
};
