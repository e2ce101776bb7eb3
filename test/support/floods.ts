// Endless responses without a body that a node may send to its client.

import type { Socket } from 'node:net';
import { gzipSync } from 'node:zlib';

export interface Flood {
  readonly what: string;
  readonly begin: Uint8Array;
  /** Repeated after `first`. */
  readonly again: Uint8Array;
  readonly outcome: 'too-large' | 'network';
  /** The error that is reported. */
  readonly text: string;
}

export const flood = (socket: Socket, begin: Uint8Array, again: Uint8Array): void => {
  const more = (): void => {
    while (!socket.destroyed && socket.write(again));
    if (!socket.destroyed) socket.once('drain', more);
  };
  socket.write(begin);
  more();
};

const chunkOf = (bytes: Uint8Array): Buffer =>
  Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')]);
const repeated = (bytes: Uint8Array): Buffer =>
  Buffer.concat(Array.from({ length: Math.floor(65_536 / bytes.length) }, () => bytes));

const head = Buffer.from('HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n');
const chunked = Buffer.from('Transfer-Encoding: chunked\r\n\r\n');
const packed = Buffer.concat([head, Buffer.from('Content-Encoding: gzip\r\n'), chunked]);
/** The header of a gzip member; `name` announces a file name. */
const memberOf = (name: 0 | 8): Buffer => Buffer.from([31, 139, 8, name, 0, 0, 0, 0, 0, 3]);

const beside = { outcome: 'too-large', text: 'the response has more than 1048576 bytes that are not its body' } as const;

export const floods: readonly Flood[] = [
  { what: 'empty lines before the status line', begin: Buffer.of(), again: repeated(Buffer.from('\r\n')), ...beside },
  {
    what: 'spaces in a header',
    begin: Buffer.concat([head, Buffer.from('X-Pad:')]),
    again: repeated(Buffer.from(' ')),
    ...beside,
  },
  {
    what: 'zeros in the size of a chunk',
    begin: Buffer.concat([head, chunked]),
    again: repeated(Buffer.from('0')),
    ...beside,
  },
  { what: 'empty members of gzip', begin: packed, again: chunkOf(repeated(gzipSync(''))), ...beside },
  {
    what: 'a name in the head of gzip',
    begin: Buffer.concat([packed, chunkOf(memberOf(8))]),
    again: chunkOf(repeated(Buffer.from('n'))),
    ...beside,
  },
  {
    what: 'empty blocks of deflate',
    begin: Buffer.concat([packed, chunkOf(memberOf(0))]),
    again: chunkOf(repeated(Buffer.from([0, 0, 0, 255, 255]))),
    ...beside,
  },
  {
    what: 'gzip in pieces of a byte',
    begin: Buffer.concat([packed, chunkOf(memberOf(8))]),
    again: repeated(chunkOf(Buffer.from('n'))),
    outcome: 'network',
    text: 'a response in chunks of a few bytes',
  },
  {
    what: 'extensions of a chunk',
    begin: Buffer.concat([head, chunked, Buffer.from('1')]),
    again: repeated(Buffer.from(';a=b')),
    outcome: 'network',
    text: 'HPE_CHUNK_EXTENSIONS_OVERFLOW',
  },
];
