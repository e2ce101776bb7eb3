// Sends bytes over a new socket, and parses the responses as strictly as a proxy.

import { connect } from 'node:net';
import { gunzipSync } from 'node:zlib';

export interface Answer {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  /** Decompressed. */
  readonly body: string;
}

/** How long to wait for a response that may never come, before our side half-closes the connection. */
const quietMs = 40;
/** After this time a connection without a response or an end is stuck. */
const stuckMs = 240_000;
/** More than all responses on one connection. */
const mostBytes = 20_000_000;

/** Whether the last `length` characters are an event stream, which never ends; other responses may be before it. */
const isEvents = (wire: string, length: number): boolean =>
  /\r\ncontent-type: text\/event-stream/i.test(wire.slice(-length - 100));

export interface Wire {
  readonly text: string;
  /** We closed the connection first, so the last response may be truncated. */
  readonly isCut: boolean;
}

/** Sends `pieces` one after the other; returns everything received until the server closes the connection. */
export const sendRaw = (port: number, pieces: readonly Buffer[]): Promise<Wire> =>
  new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true, noDelay: true });
    let wire = '';
    let isCut = false;
    const cut = (): void => {
      isCut = true;
      socket.end();
    };
    let quiet = setTimeout(cut, stuckMs);
    const stuck = setTimeout(() => socket.destroy(new Error('the connection is neither answered nor ended')), stuckMs);
    socket.on('data', (chunk: Buffer) => {
      wire += chunk.toString('latin1');
      clearTimeout(quiet);
      if (isEvents(wire, chunk.length) || wire.length > mostBytes) {
        isCut = true;
        socket.destroy();
      } else {
        quiet = setTimeout(cut, quietMs);
      }
    });
    // The server may close the connection before it has read everything.
    socket.on('error', (error: NodeJS.ErrnoException) => {
      isCut = true;
      if (error.code !== 'ECONNRESET' && error.code !== 'EPIPE') reject(error);
    });
    socket.on('end', () => socket.end());
    socket.on('close', () => {
      clearTimeout(quiet);
      clearTimeout(stuck);
      if (wire.length > mostBytes) reject(new Error(`more than ${mostBytes} bytes`));
      else resolve({ text: wire, isCut });
    });
    socket.on('connect', () => {
      const write = (at: number): void => {
        const piece = pieces[at];
        if (piece === undefined || socket.destroyed || socket.writableEnded) {
          clearTimeout(quiet);
          quiet = setTimeout(cut, quietMs);
          return;
        }
        socket.write(piece, () => setImmediate(write, at + 1));
      };
      write(0);
    });
  });

const statusLine = /^HTTP\/1\.1 (\d{3})(?: [ -~]*)?$/;
const headerLine = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+): ([\t -~\x80-\xff]*)$/;

/** Parses all responses in order; throws if one violates RFC 9112. */
export const readAnswers = ({ text, isCut }: Wire): readonly Answer[] => {
  const answers: Answer[] = [];
  for (let rest = text; rest !== ''; ) {
    const end = rest.indexOf('\r\n\r\n');
    if (end < 0 && isCut) return answers;
    if (end < 0) throw new Error(`no end of a head: ${JSON.stringify(rest.slice(0, 300))}`);
    const [first = '', ...lines] = rest.slice(0, end).split('\r\n');
    const status = Number(statusLine.exec(first)?.[1]);
    if (!(status >= 100)) throw new Error(`no status line: ${JSON.stringify(first.slice(0, 300))}`);
    const headers = new Map<string, string>();
    for (const line of lines) {
      const [, name = '', value = ''] = headerLine.exec(line) ?? [];
      if (name === '') throw new Error(`no header: ${JSON.stringify(line.slice(0, 300))}`);
      const key = name.toLowerCase();
      if (headers.has(key) && key !== 'vary') throw new Error(`${name} twice`);
      headers.set(key, value);
    }
    rest = rest.slice(end + 4);
    const found = bodyIn(rest, headers, status);
    if (found === undefined && isCut) return answers;
    if (found === undefined) throw new Error(`a body that is cut: ${rest.length} bytes of ${headers.get('content-length')}`);
    const { body, length } = found;
    const isPacked = headers.get('content-encoding') === 'gzip' && body !== '';
    const bytes = Buffer.from(body, 'latin1');
    answers.push({ status, headers, body: (isPacked ? gunzipSync(bytes) : bytes).toString() });
    rest = rest.slice(length);
  }
  return answers;
};

/** Undefined if it is truncated. A response to HEAD has no body, whatever its head says: another response follows, or nothing. */
const bodyIn = (rest: string, headers: ReadonlyMap<string, string>, status: number) => {
  const none = { body: '', length: 0 };
  if (status < 200 || status === 204 || status === 304 || rest === '' || rest.startsWith('HTTP/1.1 ')) return none;
  if (headers.get('content-type') === 'text/event-stream') return { body: rest, length: rest.length };
  if (headers.get('transfer-encoding') === 'chunked') return chunksIn(rest);
  const said = headers.get('content-length');
  // Lasts until the end of the connection.
  if (said === undefined) return { body: rest, length: rest.length };
  const length = Number(said);
  if (!/^\d+$/.test(said)) throw new Error(`a Content-Length of ${said}`);
  if (rest.length < length) return undefined;
  return { body: rest.slice(0, length), length };
};

const chunksIn = (rest: string) => {
  let body = '';
  for (let at = 0; ; ) {
    const line = rest.indexOf('\r\n', at);
    const size = line < 0 ? Number.NaN : Number.parseInt(rest.slice(at, line), 16);
    if (!(size >= 0) || rest.length < line + 4 + size) return undefined;
    if (size === 0) return { body, length: line + 4 };
    body += rest.slice(line + 2, line + 2 + size);
    at = line + 4 + size;
  }
};
