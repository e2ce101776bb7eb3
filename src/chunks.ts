// What is sent of an answer at a time: as much as the kernel takes.

import type { ServerResponse } from 'node:http';

/** Parts of the same memory. */
export function* piecesOf(body: Uint8Array, pieceBytes: number): Generator<Uint8Array> {
  for (let at = 0; at < body.length; at += pieceBytes) yield body.subarray(at, at + pieceBytes);
}

/** Each chunk when the kernel has taken the one before, whose memory it may take over, and `onTaken` has ended. */
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
