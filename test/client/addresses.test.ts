// A name with several addresses: each is reached, however long its connections take.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, type LookupFunction } from 'node:net';
import { createInterface } from 'node:readline';
import { expect, onTestFinished, test } from 'vitest';
import { clientOf } from '../support/asking.ts';

/** A node that is stopped as soon as it listens, and has as many connections as it takes without accepting one. */
const stoppedNode = async () => {
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

test('a node whose connections take longer than 250 ms is reached at the second time, though its name has another address', async () => {
  const { port, goOn } = await stoppedNode();
  let lookups = 0;
  const lookup: LookupFunction = (_host, _options, callback) => {
    lookups += 1;
    setImmediate(() => {
      // Nothing listens at the other.
      callback(
        null,
        ['127.0.0.1', '127.0.0.2'].map((address) => ({ address, family: 4 })),
      );
      // The first packet has met the node as it is; the next one is sent a second later.
      if (lookups === 2) setImmediate(() => setImmediate(goOn));
    });
  };
  const client = clientOf(`http://node.example:${port}`, { timeoutMs: 60_000, lookup });
  onTestFinished(() => client.close());
  expect((await client.liveness([])).outcome.kind).toBe('refused');
  expect((await client.liveness([])).outcome.kind).toBe('ok');
});
