// The event loop accepts one connection per listener and iteration. If hundreds arrive, responses wait until the others are accepted.
// If only a few arrive, probes do not wait.

import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { serveExporter } from '../support/exporter-server.ts';

/** How many of the concurrent connections were accepted before the first one got its response. */
const acceptedBefore = async (port: number, connections: number): Promise<number> => {
  let accepted = 0;
  // Servers of other suites in this process report here too.
  const came = (message: unknown): void => {
    if ((message as { readonly socket: Socket }).socket.localPort === port) accepted += 1;
  };
  subscribe('net.server.socket', came);
  onTestFinished(() => void unsubscribe('net.server.socket', came));
  const answered = Array.from({ length: connections }, async () => {
    const socket = connect(port, '127.0.0.1');
    onTestFinished(() => void socket.destroy());
    socket.write('GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await once(socket, 'data');
  });
  await Promise.race(answered);
  const atFirst = accepted;
  await Promise.all(answered);
  return atFirst;
};

test('the first of 30 concurrent probes gets its response before all 30 are accepted', async () => {
  const { port } = await serveExporter({ options: { paths: 'probes' } });
  expect(await acceptedBefore(port, 30)).toBeLessThan(30);
});
