// The body of a request, up to a bound.

import type { IncomingMessage } from 'node:http';
import { maxBodyBytes } from './limits.ts';

/** All of it. Who sends more than the bound is cut off. */
export const bodyOf = async (request: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of request) {
      chunks.push(chunk);
      length += chunk.length;
      if (length > maxBodyBytes) request.destroy();
    }
  } catch {
    // What a caller does not finish is as if it ended there.
  }
  return Buffer.concat(chunks).toString('utf8');
};
