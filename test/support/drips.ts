// Nodes that send an endless response one byte at a time, and one with a large report.

import { onTestFinished } from 'vitest';
import { type Served, serveHttp } from './serve.ts';

export const kept = async (served: Promise<Served>): Promise<Served> => {
  const one = await served;
  onTestFinished(() => one.close());
  return one;
};

/** Sends this many bytes at once, then one every tenth of a second while the client reads. */
export const serveDrips = (bytes: number): Promise<Served> =>
  kept(
    serveHttp((request, response) => {
      request.resume();
      response.write(`{"pad":"${'x'.repeat(bytes)}`);
      const drip = setInterval(() => response.write('x'), 100);
      response.once('close', () => clearInterval(drip));
    }),
  );

export const serveReport = (bytes: number): Promise<Served> =>
  kept(
    serveHttp((request, response) => {
      request.resume();
      if (request.url?.startsWith('/ext/health') !== true) response.statusCode = 404;
      const timestamp = new Date(Math.floor(Date.now() / 1000) * 1000).toISOString();
      response.end(JSON.stringify({ checks: { P: { message: 'x'.repeat(bytes), timestamp, duration: 5000 } }, healthy: true }));
    }),
  );
