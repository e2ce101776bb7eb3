// A socket that listens at an address of this machine, until the test ends.

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
