// `snowgauge run` with a second port for probes, as in a pod: probe results on both ports, and nothing else on the second.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { bundle } from '../support/bundle.ts';
import { temporaryFolder } from '../support/events.ts';
import { roundsToSettle, startTestNode } from '../support/node.ts';

/** Reads the URLs of page and probes from its log; ends with the test. */
const startRun = async (configuration: string) => {
  const file = join(await temporaryFolder(), 'snowgauge.yaml');
  await writeFile(file, configuration);
  const child = spawn(process.execPath, [bundle, 'run', '--config', file], { stdio: ['ignore', 'ignore', 'pipe'] });
  const exited = once(child, 'exit');
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await exited;
  });
  let log = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    log += chunk;
  });
  const both = /"url":"(http[^"]+)","probesUrl":"(http[^"]+)"/;
  await expect.poll(() => both.test(log)).toBe(true);
  const [, url = '', probesUrl = ''] = both.exec(log) ?? [];
  const said = (text: string): number => log.split(`"msg":"${text}"`).length - 1;
  return { url, probesUrl, stop: () => child.kill('SIGTERM'), closed: once(child, 'close'), said };
};

const ask = async (url: string): Promise<string> => {
  const response = await fetch(url, { signal: AbortSignal.timeout(60_000) });
  return `${response.status} ${(await response.text()).trim()}`;
};

test('both ports serve probes, and the second serves nothing else', async () => {
  const node = await startTestNode({ dialect: 'avalanchego' }, '', Date.now() / 1000);
  await node.ticks(roundsToSettle);
  const { url, probesUrl, stop, closed, said } = await startRun(`
listen: { host: 127.0.0.1, port: 0 }
probes: { port: 0 }
targets: [{ name: node, url: '${node.url}', timeout: 60s, healthCheckFrequency: 2m, tagSets: [{ name: all }, { name: l1, tags: [nobody] }] }]
`);
  expect(new URL(url).port).not.toBe(new URL(probesUrl).port);
  for (const from of [`${url}/targets/node`, `${url}/self`, `${probesUrl}/targets/node`, `${probesUrl}/self`]) {
    await expect.poll(() => ask(`${from}/readyz`)).toMatch(/^200 True ChecksPassing: /);
    expect(await ask(`${from}/startupz`)).toBe('200 True NodeResponding: the node responds');
    expect(await ask(`${from}/livez`)).toBe('200 True NodeResponding: the node responds');
    expect(await ask(`${from}/readyz/l1`)).toMatch(/^503 Unknown UnknownTag: /);
  }
  for (const from of [url, probesUrl]) {
    expect(await ask(`${from}/livez`)).toBe('200 ok');
    expect(await ask(`${from}/readyz`)).toBe('200 ok');
  }
  for (const path of ['/', '/metrics', '/api/v1/status', '/api/v1/history', '/api/v1/events']) {
    expect(await ask(`${probesUrl}${path}`)).toMatch(/^404 /);
    expect(path.endsWith('events') || (await ask(`${url}${path}`)).startsWith('200 ')).toBe(true);
  }
  stop();
  expect((await closed)[0]).toBe(0);
  expect([said('draining connections'), said('server closed')]).toEqual([1, 1]);
});
