// A proxy between Prometheus and an exporter that passes scrapes on, but drops every n-th.

import { startLocalServer } from './local-server.ts';

export const startLossy = (exporter: () => string | undefined, every: number, timeoutMs = 5000) => {
  let scrapes = 0;
  return startLocalServer((request, response) => {
    scrapes += 1;
    const url = exporter();
    if (scrapes % every === 0 || url === undefined) {
      response.destroy();
      return;
    }
    const headers = { accept: request.headers.accept ?? '*/*' };
    void fetch(`${url}${request.url}`, { headers, signal: AbortSignal.timeout(timeoutMs) })
      .then(async (answer) => {
        const body = Buffer.from(await answer.arrayBuffer());
        response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' }).end(body);
      })
      .catch(() => response.destroy());
  });
};
