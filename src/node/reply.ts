// An HTTP response as a value: made by routes, changed by faults, written by exchange.

export interface NodeReply {
  readonly status: number;
  /** Spelled as on the wire; a name may occur twice. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string | Buffer;
}

export const bytesOf = ({ body }: NodeReply): Buffer => (typeof body === 'string' ? Buffer.from(body) : body);

const textContentType = 'text/plain; charset=utf-8';

/** A plain text without a trailing newline, like the rejections of the node's RPC library. */
export const textReply = (status: number, body: string): NodeReply => ({
  status,
  headers: [['Content-Type', textContentType]],
  body,
});

/** Go's http.Error: the text, a newline, and no content sniffing. */
export const errorReply = (status: number, text: string): NodeReply => ({
  status,
  headers: [
    ['Content-Type', textContentType],
    ['X-Content-Type-Options', 'nosniff'],
  ],
  body: `${text}\n`,
});

export const notFoundReply = errorReply(404, '404 page not found');

export const emptyReply = (status: number, headers: NodeReply['headers'] = []): NodeReply => ({ status, headers, body: '' });
