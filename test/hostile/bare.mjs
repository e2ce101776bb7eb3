// Measures the cost of a response in Node.js itself: gives every request the same response, and prints its port. Its backlog is large
// enough for all connections, because a client that finds it full tries again only a second later.

import { createRequire } from 'node:module';

// Importing it would load undici, which needs WebAssembly, and --jitless disables that.
/** @type {typeof import('node:http')} */
const { createServer } = createRequire(import.meta.url)('node:http');

const server = createServer((_request, response) => response.end('ok\n'));
server.listen({ port: 0, host: '127.0.0.1', backlog: 4096 }, () => {
  const address = server.address();
  if (typeof address === 'object') process.stdout.write(`${address?.port}\n`);
});
