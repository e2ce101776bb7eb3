// How a question to the node ends. The list is closed and total: adding a kind shows every place that has to think about it.

export type Failure =
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'reset'; readonly reason: string }
  | { readonly kind: 'dns'; readonly reason: string }
  | { readonly kind: 'timeout'; readonly afterMs: number }
  | { readonly kind: 'tls'; readonly reason: string }
  /** Any other socket error. */
  | { readonly kind: 'network'; readonly reason: string }
  /** 403 with the node's own text: our Host header is not among its --http-allowed-hosts. */
  | { readonly kind: 'host-forbidden' }
  | { readonly kind: 'http-status'; readonly status: number }
  | { readonly kind: 'not-json'; readonly reason: string }
  | { readonly kind: 'too-large'; readonly limitBytes: number }
  /** JSON, but not what the interface says. */
  | { readonly kind: 'malformed'; readonly reason: string }
  | { readonly kind: 'rpc-error'; readonly code: number; readonly message: string }
  /** A fault of ours in understanding the answer. Made where it is read, or where a source observes it. */
  | { readonly kind: 'internal-error'; readonly reason: string };

export type Outcome<T> = { readonly kind: 'ok'; readonly value: T } | Failure;

export type OutcomeKind = Outcome<unknown>['kind'];

/** Every kind, in the order of the metric's documentation. */
export const outcomeKinds = [
  'ok',
  'refused',
  'reset',
  'dns',
  'timeout',
  'tls',
  'network',
  'host-forbidden',
  'http-status',
  'not-json',
  'too-large',
  'malformed',
  'rpc-error',
  'internal-error',
] as const satisfies readonly OutcomeKind[];

/** One sentence for a person: the probe, the page and the log say the same one. Never holds a credential or a body. */
export const describe = (failure: Failure): string => {
  switch (failure.kind) {
    case 'refused':
      return `connection refused (${failure.reason})`;
    case 'reset':
      return `connection reset (${failure.reason})`;
    case 'dns':
      return `the name does not resolve (${failure.reason})`;
    case 'timeout':
      return `no answer within ${failure.afterMs} ms`;
    case 'tls':
      return `TLS failed (${failure.reason})`;
    case 'network':
      return `network error (${failure.reason})`;
    case 'host-forbidden':
      return 'the node refuses our Host header: add the name in `url` to its --http-allowed-hosts';
    case 'http-status':
      return `HTTP status ${failure.status}`;
    case 'not-json':
      return `the answer is not JSON (${failure.reason})`;
    case 'too-large':
      return `the answer is larger than ${failure.limitBytes} bytes: raise \`maxBodySize\` if that is right`;
    case 'malformed':
      return `the answer is not what the interface says (${failure.reason})`;
    case 'rpc-error':
      return `JSON-RPC error ${failure.code}: ${failure.message}`;
    case 'internal-error':
      return `snowgauge could not process the answer (${failure.reason}): this is a bug in snowgauge`;
    default:
      return failure satisfies never;
  }
};
