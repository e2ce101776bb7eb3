// Sends a response in chunks. Each chunk is sent when the kernel has accepted the previous one.

import type { ServerResponse } from 'node:http';

/** The chunks share the memory of the body. */
export function* piecesOf(body: Uint8Array, pieceBytes: number): Generator<Uint8Array> {
  for (let at = 0; at < body.length; at += pieceBytes) yield body.subarray(at, at + pieceBytes);
}

/**
 * Sends each chunk after the kernel has accepted the previous one, because chunks may reuse the same memory, and after `onTaken` has ended.
 * Stops if the connection is closed.
 */
export const sendChunks = async (
  response: ServerResponse,
  chunks: Iterable<Uint8Array>,
  onTaken: () => Promise<void> | void = () => undefined,
): Promise<void> => {
  for (const chunk of chunks) {
    await new Promise((taken) => response.write(chunk, taken));
    if (response.destroyed) return;
    await onTaken();
  }
  response.end();
};
