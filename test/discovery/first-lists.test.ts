// After a start, /api/v1/sd serves no list before every source has returned one: Prometheus would drop all other targets.

import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { serveHttp } from '../support/serve.ts';
import { folderOf, nodes, patience, put, world } from './world.ts';

const fast = { healthCheckFrequency: '5s', timeout: '1s', indexes: [] };

/** A slow HTTP source, and a file source that is ready. */
const sources = async () => {
  const { port } = await nodes();
  let open: (response: ServerResponse) => void = () => undefined;
  const asked = new Promise<ServerResponse>((resolve) => {
    open = resolve;
  });
  const server = await serveHttp((_, response) => open(response));
  onTestFinished(() => server.close());
  const file = join(await folderOf(), 'nodes.json');
  await put(file, [{ targets: [`127.0.0.2:${port}`] }]);
  const list = JSON.stringify([{ targets: [`127.0.0.3:${port}`] }]);
  const slow = { url: server.url, refreshInterval: '1h', timeout: '60s' };
  return {
    port,
    one: { file: [{ files: [file] }] },
    both: { file: [{ files: [file] }], http: [slow] },
    /** Resolves once the HTTP source has been requested. */
    asked: async () => void (await asked),
    answer: async () => (await asked).writeHead(200, { 'content-type': 'application/json' }).end(list),
  };
};

type World = Awaited<ReturnType<typeof world>>;

const listed = async ({ ask }: Pick<World, 'ask'>): Promise<readonly string[]> => {
  const { status, body } = await ask('/api/v1/sd');
  if (status !== 200) return [body.trimEnd()];
  const groups = JSON.parse(body) as readonly { readonly labels: { readonly __metrics_path__: string } }[];
  return groups.map(({ labels: { __metrics_path__: path } }) => path);
};
const pathOf = (name: string): string => `/targets/${name}/metrics`;

test('/api/v1/sd and /readyz return 503 until each source has returned its first list, then serve all targets', async () => {
  const { port, both, asked, answer } = await sources();
  const config = { targets: [{ ...fast, name: 'own', url: `http://127.0.0.4:${port}` }], discovery: { target: fast, ...both } };
  const one = await world(config);
  await one.watches('own', `127.0.0.2:${port}`);
  await asked();
  expect(await one.ask('/api/v1/sd')).toEqual({ status: 503, body: 'waiting for the first list of http/0\n' });
  expect(await one.ask('/readyz')).toMatchObject({
    status: 503,
    body: expect.stringContaining('[-]discovery failed: waiting for the first list of http/0\n'),
  });
  expect((await one.ask('/livez')).status).toBe(200);
  await answer();
  const all = ['own', `127.0.0.2:${port}`, `127.0.0.3:${port}`].map(pathOf);
  await expect.poll(async () => (await one.ask('/readyz')).status, patience).toBe(200);
  expect(await listed(one)).toEqual(['/exporter/metrics', ...all]);
  expect(await one.get('/readyz?verbose')).toContain('[+]discovery ok\n');
});

test('/api/v1/sd waits at most one minute for a source that never answers', async () => {
  const { port, both } = await sources();
  const begun = Date.now() / 1000;
  const one = await world({ targets: [], discovery: { target: fast, ...both } }, undefined, { clock: () => begun });
  await one.watches(`127.0.0.2:${port}`);
  one.pass(59);
  expect(await listed(one)).toEqual(['waiting for the first list of http/0']);
  one.pass(1);
  expect(await listed(one)).toEqual(['/exporter/metrics', pathOf(`127.0.0.2:${port}`)]);
  expect(await one.get('/readyz?verbose')).toContain('[+]discovery ok\n');
});

test('a shard waits for the first lists too and reports it as its own readiness', async () => {
  const { port, both, answer } = await sources();
  const one = await world({ targets: [], discovery: { target: fast, ...both } }, undefined, {
    shard: { kind: 'fixed', shard: 0, total: 1 },
  });
  await one.watches(`127.0.0.2:${port}`);
  expect(await listed(one)).toEqual(['waiting for the first list of http/0']);
  expect(await one.get('/readyz')).toContain('[-]shard failed: waiting for the first list of http/0\n');
  await answer();
  await expect.poll(() => listed(one), patience).toContain(pathOf(`127.0.0.3:${port}`));
});

test.each([
  { what: 'there is no discovery', discovery: {} },
  { what: 'a reload has removed the last source', discovery: { file: [{ files: ['/nowhere/nodes.json'] }] }, next: {} },
])('/api/v1/sd does not wait if $what', async ({ discovery, next }) => {
  const targets = [{ name: 'own', url: 'http://127.0.0.1:1' }];
  const one = await world({ targets, discovery });
  if (next !== undefined) await one.configure({ targets, discovery: next });
  expect(await listed(one)).toEqual(['/exporter/metrics', pathOf('own')]);
  const { status, body } = await one.ask('/readyz?verbose');
  expect(status).toBe(200);
  expect(body).not.toContain('discovery');
});

test('/api/v1/sd does not wait for a source added by a reload', async () => {
  const { port, one: before, both, asked, answer } = await sources();
  const one = await world({ targets: [], discovery: { target: fast, ...before } });
  await one.watches(`127.0.0.2:${port}`);
  await expect.poll(async () => (await one.ask('/readyz')).status, patience).toBe(200);
  await one.configure({ targets: [], discovery: { target: fast, ...both } });
  await asked();
  expect(await listed(one)).toEqual(['/exporter/metrics', pathOf(`127.0.0.2:${port}`)]);
  expect((await one.ask('/readyz')).status).toBe(200);
  await answer();
  await one.watches(`127.0.0.2:${port}`, `127.0.0.3:${port}`);
});
