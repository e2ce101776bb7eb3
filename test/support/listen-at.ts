// A socket that listens on a local address until the end of the test.

import { type AddressInfo, createServer } from 'node:net';
import { onTestFinished } from 'vitest';

export const listenAt = async (
  host: string,
  port = 0,
): Promise<{ readonly port: number; readonly close: () => Promise<void> }> => {
  const server = createServer((socket) => socket.destroy());
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, host, resolve));
  const close = (): Promise<void> => new Promise((resolve) => server.close(() => resolve()));
  onTestFinished(close);
  return { port: (server.address() as AddressInfo).port, close };
};
