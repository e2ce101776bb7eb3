// A node with only a health API, as a process that can be stopped and replaced; its checks run by a clock in a file, or every
// second.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { onTestFinished } from 'vitest';
import { freePort } from './free-port.ts';

const script = `
const [clock, port, way] = process.argv.slice(1);
require('node:http').createServer((request, response) => {
  request.resume();
  if (way === 'silent') return;
  if (way === 'closing') response.setHeader('connection', 'close');
  const seconds = clock === '' ? Math.floor(Date.now() / 1000) : Number(require('node:fs').readFileSync(clock, 'utf8'));
  const timestamp = new Date(seconds * 1000).toISOString();
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ checks: { database: { timestamp, duration: 5000 } }, healthy: true }));
}).listen(Number(port), '127.0.0.1', function () { console.log(this.address().port); });
`;

export interface PlainNode {
  readonly port: number;
  readonly signal: (signal: 'SIGSTOP' | 'SIGCONT') => void;
  readonly kill: () => Promise<void>;
}

/**
 * `clock` is the clock file; if empty, the checks run every second. `silent` listens without answering. `closing` closes each
 * connection after its response.
 */
export const startPlainNode = async (clock: string, port?: number, way: '' | 'silent' | 'closing' = ''): Promise<PlainNode> => {
  // A port that another node can use once this one is gone.
  const args = ['--eval', script, clock, `${port ?? (await freePort())}`, way];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  const kill = async (): Promise<void> => {
    child.kill('SIGKILL');
    await exited;
  };
  onTestFinished(kill);
  const [said] = await once(child.stdout, 'data');
  return { port: Number(`${said}`), signal: (signal) => child.kill(signal), kill };
};
