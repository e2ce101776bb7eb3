// How fast ranges of an index are had of this process, by another one that asks for them.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';

/** Asks for ranges in a process of its own, each from another start, several in flight, and prints how many a second. */
const asker = `
  import { Agent, request } from 'node:http';
  const [url, seconds, starts] = [process.argv[1], Number(process.argv[2]), Number(process.argv[3])];
  const agent = new Agent({ keepAlive: true, maxSockets: 4 });
  let [asked, done, bytes] = [0, 0, 0];
  const ask = () => new Promise((resolve, reject) => {
    const startIndex = String((asked++ * 1024) % starts);
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'index.getContainerRange', params: { startIndex, numToFetch: '1024', encoding: 'hex' } });
    const sent = request(url, { agent, method: 'POST', headers: { 'Content-Type': 'application/json', 'Content-Length': body.length } }, (answer) => {
      let length = 0;
      answer.on('data', (chunk) => { length += chunk.length; });
      answer.on('end', () => { if (length < 1_000_000) reject(new Error('a short answer: ' + length)); done += 1; bytes += length; resolve(); });
    });
    sent.on('error', reject);
    sent.end(body);
  });
  const start = performance.now();
  const lane = async () => { while (performance.now() - start < seconds * 1000) await ask(); };
  await Promise.all([lane(), lane(), lane(), lane()]);
  console.log(JSON.stringify({ perSecond: done / ((performance.now() - start) / 1000), bytes: bytes / done }));
  agent.destroy();
`;

export interface Load {
  readonly perSecond: number;
  readonly bytes: number;
  /** Milliseconds of this process's CPU for one answer. */
  readonly cpu: number;
}

/** Ranges of the containers before `starts`, for two seconds; the CPU is this process's. */
export const load = async (url: string, starts: number): Promise<Load> => {
  const seconds = 2;
  const before = process.cpuUsage();
  const child = spawn(process.execPath, ['--input-type=module', '--eval', asker, '--', url, `${seconds}`, `${starts}`], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [output] = await Promise.all([text(child.stdout), once(child, 'close')]);
  const { user, system } = process.cpuUsage(before);
  const answered: { readonly perSecond: number; readonly bytes: number } = JSON.parse(output);
  return { ...answered, cpu: (user + system) / 1000 / (answered.perSecond * seconds) };
};

/** The same bytes for every question. */
export const staticServer = async (body: Buffer) => {
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(200, { 'Content-Type': 'application/json; charset=utf-8', 'Content-Length': body.length });
    response.end(body);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const close = (): void => {
    server.close();
    server.closeAllConnections();
  };
  return { url: `http://127.0.0.1:${port}/`, close };
};
