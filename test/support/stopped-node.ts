// A node that drops every connection attempt, like a firewall.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';

/** Stopped after it listens, with a full accept queue. */
export const stoppedNode = async () => {
  const script = `
    const server = require('node:http').createServer((_, response) => response.end('{"checks":{},"healthy":true}'));
    server.listen({ host: '127.0.0.1', port: 0, backlog: 1 }, () => {
      process.stdout.write(server.address().port + '\\n', () => process.kill(process.pid, 'SIGSTOP'));
    });`;
  const child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [line] = await once(createInterface(child.stdout), 'line');
  const port = Number(line);
  for (let waiting = 0; waiting < 2; waiting += 1) {
    const socket = connect({ host: '127.0.0.1', port }).on('error', () => undefined);
    onTestFinished(() => void socket.destroy());
    await once(socket, 'connect');
  }
  return { port, goOn: (): void => void child.kill('SIGCONT') };
};
