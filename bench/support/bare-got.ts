// The requests of a fleet's polls without an exporter: got and JSON.parse at the same rate.

import { Agent } from 'node:http';
import { got } from 'got';

const gets = ['health/readiness', 'health', 'health?tag=a', 'health?tag=b', 'health/liveness'];
const posts = ['index/P/block', 'index/X/block', 'index/C/block'];

export const requestsAPoll = gets.length + posts.length;

const rpc = { jsonrpc: '2.0', id: 1, method: 'index.getLastAccepted', params: { encoding: 'hex' } };

/** `argument`: the stub's URL, the number of targets, and the seconds between two polls of each. */
export const loopOfGot = (argument: string): void => {
  const [url = '', targets = '0', period = '30'] = argument.split(' ');
  const ask = Array.from({ length: Number(targets) }, (_, at) => {
    const agent = { http: new Agent({ keepAlive: true, maxSockets: 2, maxFreeSockets: 2 }) };
    const one = got.extend({ agent, responseType: 'buffer', retry: { limit: 0 } });
    const base = `${url}/n${at}/ext`;
    return async (): Promise<void> => {
      const answers = [
        ...gets.map((path) => one(`${base}/${path}`)),
        ...posts.map((path) => one.post(`${base}/${path}`, { json: rpc })),
      ];
      for (const { body } of await Promise.all(answers)) JSON.parse(body.toString());
    };
  });
  for (const [at, poll] of ask.entries()) {
    const every = Number(period) * 1000;
    setTimeout(() => setInterval(() => void poll(), every), (every * at) / ask.length);
  }
  console.log(0);
};
