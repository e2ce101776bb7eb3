// Parts of /metrics over real sockets: one target, some families, the exporter; how Prometheus discovers them; and a page that is
// streamed while it is assembled.

import { request } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createPage } from '../../src/metrics/page.ts';
import { serveExporter } from '../support/exporter-server.ts';
import { parseExposition, type Series } from '../support/exposition-parser.ts';
import { build, pageState } from '../support/metrics.ts';
import { richTarget } from '../support/rich.ts';
import { judged, noon, targetOptions, targetsOf } from '../support/snapshot.ts';

// One for all tests: it observes the event loop for as long as the process lives.
const page = createPage(build);

const rich = (name: string, labels: Readonly<Record<string, string>> = {}) => {
  const state = richTarget();
  return { ...state, options: { ...state.options, ...targetOptions({ name, labels }), tagSets: state.options.tagSets } };
};

let version = 0;

const served = async (targets = targetsOf(rich('a', { region: 'eu' }), rich('b')), externalAddress?: string) => {
  version += 1;
  const state = pageState(targets, { version });
  const { url } = await serveExporter({
    targets,
    externalAddress,
    metrics: (accept, encoding, part) => page.at(state, noon, accept, encoding, part),
  });
  return {
    url,
    get: async (path: string) => {
      const response = await fetch(url + path);
      return { status: response.status, body: await response.text() };
    },
  };
};

const familiesOf = (body: string) => (body === '' ? [] : parseExposition(body, 'text'));
const seriesOf = (body: string): readonly Series[] => familiesOf(body).flatMap(({ series }) => series);
const targetsIn = (body: string) => [...new Set(seriesOf(body).map(({ labels }) => labels.get('target')))].toSorted();
const namesIn = (body: string) => [...new Set(familiesOf(body).map(({ name }) => name))].toSorted();
/** Families of the event loop and the garbage collector are not always there. */
const steady = (names: readonly string[]) => names.filter((name) => !name.startsWith('nodejs_'));

describe('a part of /metrics', () => {
  test('/targets/NAME/metrics has exactly the series of that target in the whole page', async () => {
    const { get } = await served();
    const [whole, one] = [await get('/metrics'), await get('/targets/a/metrics')];
    expect(one.status).toBe(200);
    expect(seriesOf(one.body)).toEqual(seriesOf(whole.body).filter(({ labels }) => labels.get('target') === 'a'));
    expect(seriesOf(one.body).length).toBeGreaterThan(100);
  });

  test.each([
    { path: '/targets/a/metrics?name[]=snowgauge_up&name[]=nothing', targets: ['a'], names: ['snowgauge_up'] },
    { path: '/exporter/metrics?name%5B%5D=snowgauge_build_info', targets: [undefined], names: ['snowgauge_build_info'] },
  ])('$path returns only the families of name[], as /metrics does', async ({ path, targets, names }) => {
    const { body } = await (await served()).get(path);
    expect([targetsIn(body), namesIn(body)]).toEqual([targets, names]);
  });

  test('/exporter/metrics has the families without a target label', async () => {
    const { get } = await served();
    const [whole, own] = [await get('/metrics'), await get('/exporter/metrics')];
    expect(targetsIn(own.body)).toEqual([undefined]);
    const left = parseExposition(whole.body, 'text').filter(({ series }) => series.some(({ labels }) => !labels.has('target')));
    expect(steady(namesIn(own.body))).toEqual(steady(left.map(({ name }) => name).toSorted()));
    expect(namesIn(own.body)).toContain('snowgauge_build_info');
  });

  test.each([
    { query: '?target=b', targets: ['b'], names: undefined },
    { query: '?target=b&target=a', targets: ['a', 'b'], names: undefined },
    { query: '?name[]=snowgauge_up', targets: ['a', 'b'], names: ['snowgauge_up'] },
    { query: '?target=b&name[]=snowgauge_up&name[]=nothing', targets: ['b'], names: ['snowgauge_up'] },
    {
      query: '?name%5B%5D=snowgauge_build_info&name[]=process_cpu_seconds_total',
      targets: [undefined],
      names: ['process_cpu_seconds_total', 'snowgauge_build_info'],
    },
  ])('/metrics$query returns only the selected targets and families', async ({ query, targets, names }) => {
    const { status, body } = await (await served()).get(`/metrics${query}`);
    expect(status).toBe(200);
    expect(targetsIn(body)).toEqual(targets);
    if (names !== undefined) expect(namesIn(body)).toEqual(names);
  });

  test.each(['/metrics', '/targets/a/metrics', '/exporter/metrics'])(
    '%s with unknown families only is 400: an empty scrape would look healthy',
    async (path) => {
      const { get } = await served();
      expect(await get(`${path}?name[]=snowgauge_u&name[]=nothing`)).toEqual({
        status: 400,
        body: 'name[]: no metric family is called nothing\n',
      });
    },
  );

  test.each(['/targets/c/metrics', '/targets/__proto__/metrics', '/metrics?target=c', '/metrics?target=a&target=c'])(
    '%s is 404: the scrape of an unknown target must fail',
    async (path) => {
      expect(await (await served()).get(path)).toEqual({
        status: 404,
        body: expect.stringMatching(/^unknown target "(?:c|__proto__)": expected one of a, b\b.*\n$/),
      });
    },
  );

  test.each(['[fd00::1]:9650', '%5Bfd00::1%5D:9650', '%5bfd00%3A%3a1%5d%3A9650'])(
    '/targets/%s finds the target of an IPv6 address, as Prometheus and the kubelet escape it',
    async (name) => {
      const { get } = await served(targetsOf(rich('[fd00::1]:9650'), rich('b')));
      const { status, body } = await get(`/targets/${name}/metrics`);
      expect(status).toBe(200);
      expect(targetsIn(body)).toEqual(['[fd00::1]:9650']);
      expect((await get(`/targets/${name}/readyz`)).body).not.toContain('TargetNotFound');
    },
  );

  test('is valid OpenMetrics if the client accepts it', async () => {
    const { url } = await served();
    const response = await fetch(`${url}/targets/a/metrics`, {
      headers: { accept: 'application/openmetrics-text;version=1.0.0' },
    });
    const names = parseExposition(await response.text(), 'openmetrics').map(({ name }) => name);
    expect(names).toContain('snowgauge_polls');
  });

  test('is 404 on the probe port', async () => {
    const { url } = await serveExporter({ targets: targetsOf(rich('a')), options: { paths: 'probes' } });
    for (const path of ['/targets/a/metrics', '/exporter/metrics', '/api/v1/sd', '/metrics'])
      expect((await fetch(url + path)).status).toBe(404);
  });
});

describe('/api/v1/sd', () => {
  const groups = (address: string) => [
    { targets: [address], labels: { __metrics_path__: '/exporter/metrics', instance: address } },
    {
      targets: [address],
      labels: { __metrics_path__: '/targets/a/metrics', instance: 'a', exporter_instance: address, region: 'eu' },
    },
    { targets: [address], labels: { __metrics_path__: '/targets/b/metrics', instance: 'b', exporter_instance: address } },
  ];

  test('has a group for the exporter and one for each target, with the address of the request', async () => {
    const { url, get } = await served();
    expect(JSON.parse((await get('/api/v1/sd')).body)).toEqual(groups(url.replace('http://', '')));
  });

  test('uses the configured external address, whatever the address of the request', async () => {
    const { get } = await served(undefined, '10.1.2.3:9652');
    expect(JSON.parse((await get('/api/v1/sd')).body)).toEqual(groups('10.1.2.3:9652'));
  });

  test.each(['a b', 'a/b', 'user@host', '"', 'a:port'])('is 400 if the Host header is %j', async (host) => {
    const { url } = await served();
    const status = await new Promise<number | undefined>((resolve) => {
      request(`${url}/api/v1/sd`, { headers: { host } }, (response) => resolve(response.resume().statusCode)).end();
    });
    expect(status).toBe(400);
  });

  test('is 400 if the external address has {shard} and this process is not a shard', async () => {
    const { get } = await served(undefined, 'gauge-{shard}.example.com:9652');
    expect(await get('/api/v1/sd')).toEqual({
      status: 400,
      body: 'listen.externalAddress has {shard}, and this process is not a shard: start it with --shard\n',
    });
  });
});

describe('a page of more than 4 MiB', () => {
  const many = () => targetsOf(...Array.from({ length: 60 }, (_, at) => rich(`n${at}`)));

  test('is streamed with its exact Content-Length, and its gzip body has the same content', async () => {
    const { url } = await served(many());
    const plain = await fetch(`${url}/metrics?name[]=snowgauge_up`);
    expect(plain.headers.get('content-length')).not.toBeNull();
    const ask = (encoding: string) =>
      new Promise<{ readonly body: Buffer; readonly length: number }>((resolve) => {
        request(`${url}/metrics`, { headers: { 'accept-encoding': encoding } }, (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.on('end', () => resolve({ body: Buffer.concat(chunks), length: Number(response.headers['content-length']) }));
        }).end();
      });
    const [whole, packed] = [await ask('identity'), await ask('gzip')];
    expect(whole.body.length).toBe(whole.length);
    expect(whole.length).toBeGreaterThan(4 * 1024 * 1024);
    // The process metrics may differ by then.
    const ofTargets = (body: Buffer): string => body.toString().split('# HELP snowgauge_build_info')[0] ?? '';
    expect(ofTargets(gunzipSync(packed.body)) === ofTargets(whole.body)).toBe(true);
    expect(targetsIn(ofTargets(whole.body))).toHaveLength(60);
  });

  test('is assembled in several iterations of the event loop, however much the kernel accepts at once', async () => {
    let turn = 0;
    const joinedIn: number[] = [];
    const chunk = Buffer.alloc(64 * 1024, 'a');
    const chunks = function* () {
      for (let nth = 0; nth < 12; nth += 1) {
        joinedIn.push(turn);
        yield chunk;
      }
    };
    const count = (): void => {
      turn += 1;
      counting = setImmediate(count);
    };
    let counting = setImmediate(count);
    onTestFinished(() => clearImmediate(counting));
    const { url } = await serveExporter({ metrics: () => ({ body: { length: 12 * chunk.length, chunks }, headers: {} }) });
    expect(await (await fetch(`${url}/metrics`)).text()).toHaveLength(12 * chunk.length);
    // More iterations if the kernel accepts less.
    expect(new Set(joinedIn).size).toBeGreaterThanOrEqual(3);
  });

  test('does not harm the server if the scraper disconnects in the middle', async () => {
    const { url, get } = await served(many());
    await new Promise<void>((resolve) => {
      const asking = request(`${url}/metrics`, (response) => response.once('data', () => asking.destroy()));
      asking.on('close', resolve).on('error', () => undefined);
      asking.end();
    });
    expect((await get('/livez')).status).toBe(200);
  });

  test('has no body in the response to HEAD', async () => {
    const { url } = await served(many());
    const head = await fetch(`${url}/metrics`, { method: 'HEAD' });
    expect(Number(head.headers.get('content-length'))).toBeGreaterThan(0);
    expect(await head.text()).toBe('');
  });
});

test('a page has only the chosen families, also of the exporter and the process, until the choice changes', async () => {
  const targets = new Map([['node', judged(richTarget())]]);
  const of = async (): Promise<readonly string[]> => {
    version += 1;
    const { body } = await page.at(pageState(targets, { version }), noon, undefined, undefined);
    return namesIn(Buffer.from('chunks' in body ? '' : body).toString());
  };
  const all = await of();
  const chosen = (name: string): boolean => ['snowgauge_up', 'process_cpu_seconds_total'].includes(name);
  page.choose(chosen);
  expect(await of()).toEqual(['process_cpu_seconds_total', 'snowgauge_up']);
  page.choose((name) => !chosen(name));
  expect(steady(await of())).toEqual(steady(all).filter((name) => !chosen(name)));
  page.choose(() => true);
  expect(steady(await of())).toEqual(steady(all));
});
