// A server of a drill's own, on a free port of this machine.

import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';

export interface LocalServer {
  /** As 127.0.0.1:40001. */
  readonly host: string;
  /** Ends its connections, too. */
  readonly close: () => Promise<void>;
}

export const startLocalServer = async (answer: RequestListener): Promise<LocalServer> => {
  const server = createServer({ requestTimeout: 10_000 }, answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return {
    host: `127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
};
