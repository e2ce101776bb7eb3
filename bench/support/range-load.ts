// The rate at which a process serves ranges of an index to another process.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { serveApart } from './measure.ts';
import { cpuMs } from './processes.ts';

/** Requests ranges in a separate process, each from another start, several in flight, and prints the rate per second. */
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
  console.log(JSON.stringify({ done, perSecond: done / ((performance.now() - start) / 1000), bytes: bytes / done }));
  agent.destroy();
`;

export interface Load {
  readonly perSecond: number;
  readonly bytes: number;
  /** Server CPU in milliseconds per response. */
  readonly cpu: number;
}

/** Requests ranges of the containers before `starts` for two seconds. */
export const load = async (server: { readonly url: string; readonly pid: number }, starts: number): Promise<Load> => {
  const before = cpuMs(server.pid);
  const child = spawn(process.execPath, ['--input-type=module', '--eval', asker, '--', server.url, '2', `${starts}`], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [output] = await Promise.all([text(child.stdout), once(child, 'close')]);
  const answered: { readonly perSecond: number; readonly bytes: number; readonly done: number } = JSON.parse(output);
  return { ...answered, cpu: (cpuMs(server.pid) - before) / answered.done };
};

/** The same bytes for every request. */
export const staticServer = (file: string) =>
  serveApart(
    `
    import { readFileSync } from 'node:fs';
    import { createServer } from 'node:http';
    const body = readFileSync(process.argv[1]);
    const server = createServer((request, response) => {
      request.resume();
      response.writeHead(200, { 'Content-Type': 'application/json; charset=utf-8', 'Content-Length': body.length });
      response.end(body);
    }).listen(0, '127.0.0.1', () => console.log(server.address().port));`,
    [file],
  );
