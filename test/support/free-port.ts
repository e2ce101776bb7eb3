// Ports for what must be told one before it listens, or gives it up and takes it again.

import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * Below the range from which systems give a port to whoever asks for any (Linux: from 32768): one of those may be somebody
 * else's by the time it is listened on.
 */
const range = [20_000, 32_768] as const;
const tries = 100;

export const freePort = async (): Promise<number> => {
  for (let nth = 0; nth < tries; nth += 1) {
    const port = randomInt(...range);
    if (await isFree(port)) return port;
  }
  throw new Error(`${tries} ports between ${range[0]} and ${range[1]} are all taken`);
};

const isFree = async (port: number): Promise<boolean> => {
  const server = createServer();
  try {
    const listening = once(server, 'listening');
    server.listen(port, '0.0.0.0');
    await listening;
  } catch {
    return false;
  }
  server.close();
  await once(server, 'close');
  return true;
};
