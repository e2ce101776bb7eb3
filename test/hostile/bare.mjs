// What an answer costs Node.js itself: answers every request alike, and prints its port. All who connect find a place in its queue, as
// whoever does not tries again a second later.

import { createRequire } from 'node:module';

// An import of it would load undici, which needs the WebAssembly that --jitless takes away.
/** @type {typeof import('node:http')} */
const { createServer } = createRequire(import.meta.url)('node:http');

const server = createServer((_request, response) => response.end('ok\n'));
server.listen({ port: 0, host: '127.0.0.1', backlog: 4096 }, () => {
  const address = server.address();
  if (typeof address === 'object') process.stdout.write(`${address?.port}\n`);
});
