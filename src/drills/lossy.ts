// Between Prometheus and an exporter: passes scrapes on, but loses one in so many.

import { createServer } from 'node:http';

export interface Lossy {
  readonly host: string;
  readonly close: () => Promise<void>;
}

const timeoutMs = 5000;

export const startLossy = async (exporter: () => string | undefined, every: number): Promise<Lossy> => {
  let scrapes = 0;
  const server = createServer((request, response) => {
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
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(0, '127.0.0.1', resolve);
  });
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
