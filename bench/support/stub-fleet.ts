// Many stub nodes in one process, each with its own path, /n0 to /nN: the check runs in a report advance with a phase per node,
// and indexes do not change. Prints its port. GET /asked returns the number of requests of the exporter and the plain loop since
// the last call.

import { createServer } from 'node:http';
import { idOf } from '../../src/protocol/id.ts';
import { encodeHex } from '../../test/support/hex.ts';
import { announce } from './still-servers.ts';

const chainOf = (height: number) => ({
  engine: {
    consensus: {
      lastAcceptedHeight: height,
      lastAcceptedID: '2h5wNZcWkHVBLLvCyKNKvAdrV5sB9kQMQY6qPUnCSuYyqQfyTe',
      longestProcessingBlock: '0s',
      processingBlocks: 0,
    },
    vm: null,
  },
  networking: { percentConnected: 0.9987 },
});

/** The chains of the subnets of tag sets a and b. */
const chains = Array.from({ length: 10 }, (_, at) => `2pTYkiUwYtMgXZQSZYbQGhcCGjUQCXfFLGrTvcTqAVFyeVqV${at}V`);
const of = new Map([
  ['a', chains.slice(0, 5)],
  ['b', chains.slice(5)],
]);

const messages: Readonly<Record<string, unknown>> = {
  ...Object.fromEntries(['C', 'P', 'X', ...chains].map((name) => [name, chainOf(4711)])),
  bls: 'node has the correct BLS key',
  bootstrapped: [],
  database: undefined,
  diskspace: { availableDiskBytes: 123456789012, availableDiskPercentage: 67 },
  futureupgrade: undefined,
  network: {
    connectedPeers: 23,
    sendFailRate: 0,
    timeSinceLastMsgReceived: '164.593259ms',
    timeSinceLastMsgSent: '164.593259ms',
  },
  router: { longestRunningRequest: '0s', outstandingRequests: 0 },
};

/** Checks without a tag: those that belong to no chain. */
const common = Object.keys(messages).filter((name) => name.length > 1 && !chains.includes(name));

export const serveFleet = (periodSeconds: number): void => {
  const body = Buffer.from('0001020304', 'hex');
  const timestamp = '2026-01-02T03:04:05.678901Z';
  const container = { id: idOf(body), bytes: encodeHex(body), timestamp, encoding: 'hex', index: '4710' };
  const asked = { snowgauge: 0, got: 0 };

  /** The start of the node's last check run, with a phase per node spread by the golden ratio. */
  const runOf = (node: number): number => {
    const phase = ((node * 0.618034) % 1) * periodSeconds;
    return Math.floor((Date.now() / 1000 - phase) / periodSeconds) * periodSeconds + phase;
  };
  const report = (node: number, only?: readonly string[]): string => {
    const at = new Date(runOf(node) * 1000).toISOString();
    const checks = Object.entries(messages).flatMap(([name, message]) =>
      only === undefined || only.includes(name)
        ? [[name, { message, timestamp: at, duration: 146068 + (Math.floor(runOf(node)) % 1000) }]]
        : [],
    );
    return JSON.stringify({ checks: Object.fromEntries(checks), healthy: true });
  };
  const answer = (method: string): unknown => {
    if (method === 'index.getIndex') return { index: container.index };
    return method === 'index.isAccepted' ? { isAccepted: true } : container;
  };

  const server = createServer((request, response) => {
    const { url = '' } = request;
    const send = (text: string, node = ''): void => {
      const head = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) };
      response.writeHead(200, { ...head, 'node-id': `NodeID-QGZpWLjdZoP7UE1M9XENBuGMEGiWgM${node}` }).end(text);
    };
    if (url === '/asked') {
      send(JSON.stringify(asked));
      Object.assign(asked, { snowgauge: 0, got: 0 });
      return;
    }
    asked[request.headers['user-agent']?.startsWith('snowgauge') ? 'snowgauge' : 'got'] += 1;
    const [, node = '0', path = ''] = /^\/n(\d+)(.*)$/.exec(url) ?? [];
    if (request.method === 'POST') {
      let text = '';
      request.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      request.on('end', () => {
        const { id, method } = JSON.parse(text);
        send(JSON.stringify({ jsonrpc: '2.0', result: answer(method), id }), node);
      });
      return;
    }
    const tag = /[?&]tag=([^&]*)/.exec(path)?.[1];
    if (path.includes('liveness')) send('{"checks":{},"healthy":true}', node);
    else if (path.includes('readiness')) send(report(Number(node), ['bootstrapped']), node);
    else send(report(Number(node), tag === undefined ? undefined : [...common, ...(of.get(tag) ?? [])]), node);
  });
  announce(server);
};
