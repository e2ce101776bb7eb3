// An HTTP server for a drill, on a free port of this machine.

import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';

/** `host`: for example 127.0.0.1:40001. `close` also closes its connections. */
export const startLocalServer = async (answer: RequestListener) => {
  const server = createServer({ requestTimeout: 10_000 }, answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return {
    host: `127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
};
