// A proxy process that can be stopped to simulate a cut network: pending requests get no response, the first new connections are
// accepted without an answer, and further ones are dropped because the backlog is full.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { onTestFinished } from 'vitest';

const pass = (port: number): string => `
const { connect, createServer } = require('node:net');
const server = createServer((from) => {
  const to = connect(${port}, '127.0.0.1');
  for (const [one, other] of [[from, to], [to, from]]) one.on('error', () => other.destroy()).pipe(other);
}).listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => console.log(server.address().port));
`;

export interface Way {
  readonly port: number;
  readonly close: () => void;
  readonly open: () => void;
}

export const wayTo = async (port: number): Promise<Way> => {
  const child = spawn(process.execPath, ['--eval', pass(port)], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [said] = await once(child.stdout, 'data');
  return { port: Number(said), close: () => void child.kill('SIGSTOP'), open: () => void child.kill('SIGCONT') };
};
