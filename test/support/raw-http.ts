// A raw HTTP request: an HTTP client would add, correct or reject what these tests send.

import { connect } from 'node:net';

export interface RawRequest {
  readonly method: string;
  readonly path: string;
  /** Null removes a default header. */
  readonly headers?: Readonly<Record<string, string | null>>;
  readonly body?: string | null;
}

export interface RawAnswer {
  readonly status: number;
  /** In order, with the original names. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string;
}

export const headerOf = (answer: RawAnswer, name: string): string | undefined =>
  answer.headers.find(([header]) => header.toLowerCase() === name.toLowerCase())?.[1];

/** Sends the request and reads until the server closes. Rejects if the connection is refused or reset. */
export const askRaw = (port: number, { method, path, headers = {}, body }: RawRequest): Promise<RawAnswer> =>
  new Promise((resolve, reject) => {
    const own: Readonly<Record<string, string | null>> = {
      Host: `127.0.0.1:${port}`,
      Connection: 'close',
      ...(typeof body === 'string' && { 'Content-Length': String(Buffer.byteLength(body)) }),
      ...headers,
    };
    const lines = Object.entries(own).flatMap(([name, value]) => (value === null ? [] : [`${name}: ${value}\r\n`]));
    const chunks: Buffer[] = [];
    const socket = connect(port, '127.0.0.1');
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.on('error', reject);
    socket.on('end', () => resolve(parse(Buffer.concat(chunks))));
    socket.write(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body ?? ''}`);
  });

const parse = (wire: Buffer): RawAnswer => {
  const end = wire.indexOf('\r\n\r\n');
  const [statusLine = '', ...lines] = wire.subarray(0, end).toString().split('\r\n');
  const headers = lines.map((line): [string, string] => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon), line.slice(colon + 1).trim()];
  });
  const raw = wire.subarray(end + 4);
  const chunked = headers.some(([name, value]) => name.toLowerCase() === 'transfer-encoding' && value === 'chunked');
  return { status: Number(statusLine.split(' ')[1]), headers, body: (chunked ? joined(raw) : raw).toString() };
};

const joined = (raw: Buffer): Buffer => {
  const parts: Buffer[] = [];
  for (let at = 0; ; ) {
    const line = raw.indexOf('\r\n', at);
    const size = Number.parseInt(raw.subarray(at, line).toString(), 16);
    if (!(size > 0)) return Buffer.concat(parts);
    parts.push(raw.subarray(line + 2, line + 2 + size));
    at = line + 2 + size + 2;
  }
};
