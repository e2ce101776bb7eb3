// What an answer costs Node.js itself: answers every request alike, and prints its port. All who connect find a place in its queue, as
// whoever does not tries again a second later.

import { createServer } from 'node:http';

const server = createServer((_request, response) => response.end('ok\n'));
server.listen({ port: 0, host: '127.0.0.1', backlog: 4096 }, () => {
  const address = server.address();
  if (typeof address === 'object') process.stdout.write(`${address?.port}\n`);
});
