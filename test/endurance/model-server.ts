// Serves a model node at its own port, which is closed while the node is down.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { freePort } from '../support/free-port.ts';
import type { ModelNode } from './model-node.ts';

export interface ModelServer {
  readonly url: string;
  /** Opens or closes the port by the node's current state. */
  readonly follow: () => Promise<void>;
  readonly isListening: () => boolean;
  /** Requests that never get a response. */
  readonly held: () => number;
  /** Open connections. */
  readonly connections: () => number;
}

// Longer than a run, so that only a node that goes down closes connections.
const options = { keepAliveTimeout: 3_600_000, connectionsCheckingInterval: 3_600_000 };

export const modelServer = async (node: ModelNode, now: () => number): Promise<ModelServer> => {
  const port = await freePort();
  let held = 0;
  let connections = 0;
  let server: Server | undefined;

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = request.method === 'POST' ? await text(request) : '';
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://node');
    const rpc = body === '' ? {} : { rpc: JSON.parse(body) };
    const served = node.answer(now(), { path: pathname, tags: searchParams.getAll('tag'), ...rpc });
    if (served === 'down') request.socket.destroy();
    else if (served === 'silent') {
      held += 1;
      response.once('close', () => {
        held -= 1;
      });
    } else {
      const { status, body: reply, nodeId } = served;
      const date = new Date(now() * 1000).toUTCString();
      response.writeHead(status, { 'content-type': 'application/json', 'node-id': nodeId, date });
      response.end(reply);
    }
  };
  const open = async (): Promise<void> => {
    const opened = createServer(options, (request, response) => void answer(request, response));
    server = opened;
    opened.on('connection', (socket) => {
      connections += 1;
      socket.once('close', () => {
        connections -= 1;
      });
    });
    await new Promise<void>((resolve, reject) => opened.once('error', reject).listen(port, '127.0.0.1', resolve));
  };
  const close = async (): Promise<void> => {
    const closed = server;
    server = undefined;
    await new Promise<void>((resolve) => {
      closed?.close(() => resolve());
      closed?.closeAllConnections();
    });
  };
  await open();
  return {
    url: `http://127.0.0.1:${port}`,
    isListening: () => server !== undefined,
    held: () => held,
    connections: () => connections,
    follow: async () => {
      const isDown = node.isDown(now());
      if (isDown === (server === undefined)) return;
      await (isDown ? close() : open());
    },
  };
};
