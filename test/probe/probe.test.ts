// The responses of /probe for allowed targets.

import { writeFile } from 'node:fs/promises';
import type { RequestListener } from 'node:http';
import { describe, expect, onTestFinished, test } from 'vitest';
import { networksOf } from '../../src/networks.ts';
import { fileOf } from '../support/command.ts';
import { freePort } from '../support/free-port.ts';
import { roundsToSettle, startTestNode } from '../support/node.ts';
import { healthy, longest, sampleOf, seriesOf, serveAt, startProbing } from '../support/probing.ts';
import { serveHttps } from '../support/serve.ts';
import { pem } from '../support/web-config.ts';

const allowing = (port: number, more = ''): string => `{ allow: [{ cidr: 127.0.0.0/8, ports: [${port}] }]${more} }`;

/** Responds only to /ext/health, and never to other requests. */
const partly: RequestListener = (request, response) => {
  if (request.url === '/ext/health') healthy(request, response);
};

describe('a target', () => {
  test('has its families with their usual names, and the given target as label', async () => {
    const node = await startTestNode({ indexEnabled: true });
    await node.ticks(roundsToSettle);
    const { port } = new URL(node.url);
    const { probe } = await startProbing(allowing(Number(port)));
    const answer = await probe({ target: `127.0.0.1:${port}` });
    expect(answer).toMatchObject({ status: 200, type: 'text/plain; version=0.0.4; charset=utf-8' });
    const series = seriesOf(answer);
    const names = new Set(series.map(({ name }) => name));
    for (const name of ['snowgauge_up', 'snowgauge_health_healthy', 'snowgauge_check_healthy', 'snowgauge_index_state'])
      expect(names).toContain(name);
    const own = series.filter(({ name }) => name.startsWith('probe_'));
    expect(own.map(({ name, labels }) => [name, labels.size])).toEqual([
      ['probe_success', 0],
      ['probe_duration_seconds', 0],
    ]);
    expect(sampleOf(answer, 'probe_success')).toBe(1);
    const targets = new Set(series.filter((one) => !own.includes(one)).map(({ labels }) => labels.get('target')));
    expect([...targets]).toEqual([`127.0.0.1:${port}`]);
    expect(series.find(({ name }) => name === 'snowgauge_target_info')?.labels.get('source')).toBe('probe');
    // There are no counters and histograms, because nothing was counted before the probe.
    expect(answer.body).not.toMatch(/^# TYPE \S+ (?:counter|histogram)$/m);
  });

  test('is returned as OpenMetrics if the client accepts it', async () => {
    const node = await serveAt('127.0.0.1', 0, healthy);
    const { url } = await startProbing(allowing(node.port));
    const headers = { Accept: 'application/openmetrics-text;version=1.0.0', 'X-Prometheus-Scrape-Timeout-Seconds': longest };
    const response = await fetch(`${url}/probe?target=127.0.0.1:${node.port}`, { headers });
    expect(response.headers.get('content-type')).toContain('application/openmetrics-text');
    expect(await response.text()).toMatch(/\n# EOF\n$/);
  });

  test('is returned with gzip if the client accepts it', async () => {
    const node = await serveAt('127.0.0.1', 0, healthy);
    const { url } = await startProbing(allowing(node.port));
    const ask = (encoding: string) =>
      fetch(`${url}/probe?target=127.0.0.1:${node.port}`, {
        headers: { 'Accept-Encoding': encoding, 'X-Prometheus-Scrape-Timeout-Seconds': longest },
      });
    const [packed, plain] = [await ask('gzip'), await ask('identity')];
    expect([packed, plain].map(({ headers }) => headers.get('content-encoding'))).toEqual(['gzip', null]);
    expect(packed.headers.get('vary')).toBe('Accept, Accept-Encoding');
    // fetch decompresses the body.
    const names = (text: string) => text.match(/^[a-z_]+/gm);
    const [text, length] = [await packed.text(), Number(packed.headers.get('content-length'))];
    expect(names(text)).toEqual(names(await plain.text()));
    expect(length).toBeLessThan(text.length / 2);
  });

  test('is ready after one probe, by the rules of its module', async () => {
    const failing = JSON.stringify({
      checks: { bls: { timestamp: new Date().toISOString(), duration: 1, error: 'no', contiguousFailures: 1 } },
      healthy: false,
    });
    const node = await serveAt('127.0.0.1', 0, (request, response) => {
      request.resume();
      response.writeHead(503, { 'content-type': 'application/json' }).end(failing);
    });
    const modules = ', modules: [{ name: lenient, indexes: [], readiness: { ignoreChecks: [bls] } }]';
    const { probe } = await startProbing(allowing(node.port, modules));
    const ready = async (module: string): Promise<number | undefined> =>
      seriesOf(await probe({ target: `127.0.0.1:${node.port}`, module })).find(
        ({ name, labels }) =>
          name === 'snowgauge_target_condition' && labels.get('condition') === 'Ready' && labels.get('status') === 'true',
      )?.value;
    expect({ usual: await ready('default'), lenient: await ready('lenient') }).toEqual({ usual: 0, lenient: 1 });
  });

  test.each([
    { every: '30s', frozen: 1 },
    { every: '5m', frozen: 0 },
  ])('whose checks last ran 5 min ago, with healthCheckFrequency $every, is frozen: $frozen', async ({ every, frozen }) => {
    const timestamp = new Date(Date.now() - 300_000).toISOString();
    const report = JSON.stringify({ checks: { bls: { timestamp, duration: 1 } }, healthy: true });
    const node = await serveAt('127.0.0.1', 0, (request, response) => {
      request.resume();
      response.writeHead(200, { 'content-type': 'application/json' }).end(report);
    });
    const { probe } = await startProbing(allowing(node.port, `, modules: [{ name: mine, healthCheckFrequency: ${every} }]`));
    const answer = await probe({ target: `127.0.0.1:${node.port}`, module: 'mine' });
    expect(sampleOf(answer, 'snowgauge_health_frozen')).toBe(frozen);
    const unknown = seriesOf(answer).find(
      ({ labels }) => labels.get('condition') === 'Healthy' && labels.get('status') === 'unknown',
    );
    expect(unknown?.value).toBe(frozen);
  });

  test('gets the requests of its module, with the timeout of its module', async () => {
    const asked = new Set<string | undefined>();
    const node = await serveAt('127.0.0.1', 0, (request, response) => {
      asked.add(request.url);
      if (!isSilent) healthy(request, response);
    });
    let isSilent = false;
    const module = 'tagSets: [{ name: l1, tags: [a, b] }], indexes: [P/block]';
    const modules = `, modules: [{ name: mine, ${module} }, { name: impatient, timeout: 300ms }]`;
    const { probe } = await startProbing(allowing(node.port, modules));
    const answer = await probe({ target: `127.0.0.1:${node.port}`, module: 'mine' });
    expect([...asked]).toEqual(expect.arrayContaining(['/ext/health?tag=a&tag=b', '/ext/index/P/block']));
    expect([...asked].filter((path) => path?.includes('/X/'))).toEqual([]);
    const sets = seriesOf(answer).filter(({ name }) => name === 'snowgauge_health_healthy');
    expect(sets.map(({ labels }) => labels.get('tag_set'))).toEqual(['all', 'l1']);
    isSilent = true;
    const { body } = await probe({ target: `127.0.0.1:${node.port}`, module: 'impatient', debug: 'true' });
    expect(body).toContain('connected, but no response within 300 ms');
  });

  test('is probed with the default module if the parameter is empty', async () => {
    const node = await serveAt('127.0.0.1', 0, healthy);
    const { probe } = await startProbing(allowing(node.port));
    expect((await probe({ target: `127.0.0.1:${node.port}`, module: '', debug: 'true' })).body).toContain('module default');
  });

  test('that is down has probe_success 0', async () => {
    const node = await serveAt('127.0.0.1', 0, (request) => void request.socket.destroy());
    const { probe } = await startProbing(allowing(node.port));
    const answer = await probe({ target: `127.0.0.1:${node.port}` });
    expect([answer.status, sampleOf(answer, 'probe_success'), sampleOf(answer, 'snowgauge_up')]).toEqual([200, 0, 0]);
  });
});

test('a repeated probe right after a failed TLS handshake returns the same error without a connection', async () => {
  const node = await serveHttps({ cert: pem('server.crt'), key: pem('server.key') }, healthy);
  onTestFinished(node.close);
  const { probe } = await startProbing(allowing(node.port, ', modules: [{ name: other }]'));
  const debugged = async (module: string): Promise<string> => (await probe({ target: node.url, module, debug: 'true' })).body;
  expect(await debugged('default')).toContain('UNABLE_TO_VERIFY_LEAF_SIGNATURE');
  const made = node.connections();
  expect(await debugged('default')).toContain('UNABLE_TO_VERIFY_LEAF_SIGNATURE');
  expect(node.connections()).toBe(made);
  // Another module may trust it.
  await debugged('other');
  expect(node.connections()).toBeGreaterThan(made);
});

test('after 20 names at one address have failed in the TLS handshake, a new name at that address gets 503', async () => {
  const hostile = await serveHttps({ cert: pem('server.crt'), key: pem('server.key') }, healthy);
  onTestFinished(hostile.close);
  const node = await serveAt('127.0.0.1', 0, healthy);
  const port = Number(new URL(hostile.url).port);
  const allow = `{ allow: [{ host: "*", cidr: 127.0.0.0/8, ports: [${port}, ${node.port}] }] }`;
  const { probe } = await startProbing(allow, async (host) => [host === 'elsewhere' ? '127.0.0.2' : '127.0.0.1']);
  const statusOf = async (target: string): Promise<number> => (await probe({ target })).status;
  expect(await statusOf(`well:${node.port}`)).toBe(200);
  for (let nth = 0; nth < 20; nth += 1) expect(await statusOf(`https://name-${nth}:${port}`)).toBe(200);
  const made = hostile.connections();
  expect(await probe({ target: `https://name-20:${port}` })).toMatchObject({
    status: 503,
    body: '20 other targets at 127.0.0.1 have just failed in the TLS handshake, so a new one there is not probed: try again\n',
  });
  // Failed targets fail as before, and targets that have responded are still probed.
  const asked = [`https://name-0:${port}`, `well:${node.port}`, `https://elsewhere:${port}`].map(statusOf);
  expect(await Promise.all(asked)).toEqual([200, 200, 200]);
  expect(hostile.connections()).toBe(made);
});

describe('the deadline', () => {
  test('is the scrape timeout minus the offset, and the response has the results so far', async () => {
    const node = await serveAt('127.0.0.1', 0, partly);
    const { probe } = await startProbing(allowing(node.port, ', timeoutOffset: 1s'));
    const answer = await probe({ target: `127.0.0.1:${node.port}` }, '4');
    expect([sampleOf(answer, 'probe_success'), sampleOf(answer, 'snowgauge_up')]).toEqual([0, 1]);
    expect(seriesOf(answer).find(({ name }) => name === 'snowgauge_check_healthy')).toMatchObject({ value: 1 });
    const seconds = sampleOf(answer, 'probe_duration_seconds') ?? 0;
    expect(seconds).toBeGreaterThanOrEqual(2.95);
    // A request without a response would take longer.
    expect(seconds).toBeLessThan(59);
  });

  test.each([
    ['0.3', '0.3 s'],
    ['2', '1.5 s'],
    ['90', '59.5 s'],
    [null, '9.5 s'],
    ['', '9.5 s'],
  ])('for a scrape timeout of %j is %s', async (timeout, said) => {
    const node = await serveAt('127.0.0.1', 0, healthy);
    const { probe } = await startProbing(allowing(node.port));
    const { body } = await probe({ target: `127.0.0.1:${node.port}`, debug: 'true' }, timeout);
    expect(body).toContain(`at most ${said}`);
  });
});

test('a probe may take longer than the idle timeout of other connections', async () => {
  const node = await serveAt('127.0.0.1', 0, partly);
  const { probe } = await startProbing(allowing(node.port), undefined, { options: { stalledMs: 2000 } });
  const answer = await probe({ target: `127.0.0.1:${node.port}` }, '4');
  expect([sampleOf(answer, 'probe_success'), sampleOf(answer, 'snowgauge_up')]).toEqual([0, 1]);
});

describe('concurrent probes', () => {
  /** A node that responds only when `release` is called. */
  const waiting = async () => {
    const held: (() => void)[] = [];
    const node = await serveAt('127.0.0.1', 0, (request, response) => void held.push(() => healthy(request, response)));
    const release = (): void => {
      for (const answer of held.splice(0)) answer();
    };
    return { node, held, release };
  };

  test('with the same parameters share one probe, and others do not', async () => {
    const { node, held, release } = await waiting();
    const one = ', modules: [{ name: default, indexes: [] }, { name: other, indexes: [] }]';
    const { probe } = await startProbing(allowing(node.port, one));
    const target = `127.0.0.1:${node.port}`;
    const same = Promise.all([probe({ target }), probe({ target }), probe({ target, module: 'default' })]);
    // A client has two connections, with one request on each.
    await expect.poll(() => held.length).toBe(2);
    const other = probe({ target, module: 'other' });
    await expect.poll(() => held.length).toBe(4);
    const [first, ...rest] = await Promise.all([same, other, releasing(release)]).then(([answers]) => answers);
    expect(rest.map(({ body }) => body)).toEqual([first?.body, first?.body]);
    expect(node.connections()).toBe(4);
    await other;
  });

  test('before and after a reload are not shared', async () => {
    const { node, held, release } = await waiting();
    const { probe, configure } = await startProbing(allowing(node.port, ', modules: [{ name: default, indexes: [] }]'));
    const target = `127.0.0.1:${node.port}`;
    const before = probe({ target });
    await expect.poll(() => held.length).toBe(2);
    await configure(allowing(node.port, ', modules: [{ name: default, indexes: [P/block] }]'));
    const after = probe({ target });
    await expect.poll(() => held.length).toBe(4);
    await Promise.all([before, after, releasing(release)]);
    const has = async (answer: typeof before) => (await answer).body.includes('index="P/block"');
    expect([await has(before), await has(after)]).toEqual([false, true]);
  });

  test('above maxConcurrent get 503 until a probe ends', async () => {
    const { node, held, release } = await waiting();
    const { probe } = await startProbing(allowing(node.port, ', maxConcurrent: 1, modules: [{ name: default, indexes: [] }]'));
    const target = `127.0.0.1:${node.port}`;
    const first = probe({ target });
    await expect.poll(() => held.length).toBe(2);
    const second = await probe({ target: `http://${target}` });
    expect(second).toMatchObject({ status: 503, body: expect.stringContaining('probe.maxConcurrent') });
    await Promise.all([first, releasing(release)]);
    const third = probe({ target: `http://${target}` });
    await Promise.all([third, releasing(release)]);
    expect((await third).status).toBe(200);
  });

  test('of one client address, forwarded by a trusted proxy, get at most half of maxConcurrent', async () => {
    const { node, held, release } = await waiting();
    const clients = () => ({ allowedHosts: [], isTrustedProxy: networksOf(['127.0.0.1']) });
    const four = ', maxConcurrent: 4, modules: [{ name: default, indexes: [] }]';
    const { probe } = await startProbing(allowing(node.port, four), undefined, { clients });
    const target = `127.0.0.1:${node.port}`;
    const [many, honest] = ['10.0.0.1', '10.0.0.2'];
    // Probes with different deadlines are not shared.
    const first = [probe({ target }, '21', many), probe({ target }, '22', many)];
    await expect.poll(() => held.length).toBe(4);
    const refused = await Promise.all([probe({ target }, '23', many), probe({ target, debug: 'true' }, '24', many)]);
    for (const answer of refused)
      expect(answer).toMatchObject({ status: 503, body: expect.stringContaining('2 probes for 10.0.0.1 are under way') });
    const others = [probe({ target }, '23', honest), probe({ target }, '25', honest)];
    await expect.poll(() => held.length).toBe(8);
    expect((await probe({ target }, '26', '10.0.0.3')).body).toContain('4 probes are under way');
    // Joining a running probe takes no slot.
    const joined = probe({ target }, '25', many);
    const [answers] = await Promise.all([Promise.all([...first, ...others, joined]), releasing(release)]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
  });

  test('get 503 without a result when the exporter stops, and so do probes after that', async () => {
    const { node, held } = await waiting();
    const { probe, stop } = await startProbing(allowing(node.port));
    const target = `127.0.0.1:${node.port}`;
    const interrupted = [probe({ target }), probe({ target, debug: 'true' })];
    await expect.poll(() => held.length).toBe(4);
    stop();
    const answers = await Promise.all([...interrupted, probe({ target }), probe({ target, debug: 'true' })]);
    for (const answer of answers) expect(answer).toMatchObject({ status: 503, body: 'snowgauge is stopping: try again\n' });
    expect(node.connections()).toBe(4);
  });
});

/** Releases repeatedly until the test ends, because later requests of a probe wait, too. */
const releasing = async (release: () => void): Promise<void> => {
  for (let turns = 0; turns < 200; turns += 1) {
    release();
    await new Promise((resolve) => setImmediate(resolve));
  }
  const timer = setInterval(release, 5);
  onTestFinished(() => clearInterval(timer));
};

test('debug=true returns a trace of the probe without credentials', async () => {
  const token = await fileOf('s3cret-token');
  const asked: (string | undefined)[] = [];
  const node = await serveAt('127.0.0.1', 0, (request, response) => {
    asked.push(request.headers.authorization);
    healthy(request, response);
  });
  const settings = `authorization: { credentialsFile: "${token}" }, headers: { X-Key: s3cret-key }, indexes: []`;
  const { probe } = await startProbing(allowing(node.port, `, modules: [{ name: private, ${settings} }]`));
  const { type, body } = await probe({ target: `127.0.0.1:${node.port}`, module: 'private', debug: 'true' });
  expect(type).toBe('text/plain; charset=utf-8');
  for (const said of ['module private', 'GET /ext/health', `connected to 127.0.0.1:${node.port}`, 'probe_success 1'])
    expect(body.replaceAll(/ +/g, ' ')).toContain(said);
  expect(asked[0]).toBe('Bearer s3cret-token');
  expect(body).not.toContain('s3cret');
});

test.each([
  ['http://HOST', 'http://HOST'],
  ['HTTP://HOST/', 'HTTP://HOST/'],
  ['HOST/', 'HOST/'],
  ['http://HOST/s3cret', 'http://HOST/…'],
  ['http:///HOST/s3cret', 'http:///HOST/…'],
  ['//HOST/s3cret', '//HOST/…'],
])('the target %s has the label %s', async (target, label) => {
  const node = await serveAt('127.0.0.1', 0, healthy);
  const { probe } = await startProbing(allowing(node.port));
  const at = (text: string): string => text.replace('HOST', `127.0.0.1:${node.port}`);
  const up = seriesOf(await probe({ target: at(target) })).find(({ name }) => name === 'snowgauge_up');
  expect(up?.labels.get('target')).toBe(at(label));
});

test.each(['/', '\\'])('the path of a target after %s is hidden', async (slash) => {
  const node = await serveAt('127.0.0.1', 0, healthy);
  const { probe } = await startProbing(allowing(node.port));
  const { body } = await probe({ target: `127.0.0.1:${node.port}${slash}s3cret-key-of-a-provider`, debug: 'true' });
  expect(body).toContain(`127.0.0.1:${node.port}/…`);
  expect(body).not.toContain('s3cret');
});

test('a module with its own allow-list accepts only those targets', async () => {
  const [open, secured] = await Promise.all([serveAt('127.0.0.1', 0, healthy), serveAt('127.0.0.1', 0, healthy)]);
  const own = `, modules: [{ name: private, allow: [{ cidr: 127.0.0.1, ports: [${secured.port}] }] }]`;
  const { probe } = await startProbing(allowing(open.port, own));
  const status = async (port: number, module: string) => (await probe({ target: `127.0.0.1:${port}`, module })).status;
  expect([await status(open.port, 'default'), await status(secured.port, 'default')]).toEqual([200, 403]);
  expect([await status(open.port, 'private'), await status(secured.port, 'private')]).toEqual([403, 200]);
});

test('a changed configuration takes effect with the next probe', async () => {
  const node = await serveAt('127.0.0.1', 0, healthy);
  const { probe, configure } = await startProbing('{}');
  const status = async () => (await probe({ target: `127.0.0.1:${node.port}` })).status;
  expect(await status()).toBe(403);
  await configure(allowing(node.port));
  expect(await status()).toBe(200);
  await configure('{}');
  expect(await status()).toBe(403);
});

test('an IPv6 target is allowed by an IPv6 network', async () => {
  // A reserved port: another test could get the same port on 127.0.0.1, and request it as `localhost`.
  const node = await serveAt('::1', await freePort(), healthy);
  const { probe } = await startProbing(`{ allow: [{ cidr: "::1", ports: [${node.port}] }] }`);
  expect(sampleOf(await probe({ target: `[::1]:${node.port}` }), 'probe_success')).toBe(1);
});

test('a changed secret file is used by the next probe', async () => {
  const token = await fileOf('first');
  const asked: (string | undefined)[] = [];
  const node = await serveAt('127.0.0.1', 0, (request, response) => {
    asked.push(request.headers.authorization);
    healthy(request, response);
  });
  const { probe } = await startProbing(
    allowing(node.port, `, modules: [{ name: default, indexes: [], authorization: { credentialsFile: "${token}" } }]`),
  );
  await probe({ target: `127.0.0.1:${node.port}` });
  await writeFile(token, 'second');
  await probe({ target: `127.0.0.1:${node.port}` });
  expect([asked[0], asked.at(-1)]).toEqual(['Bearer first', 'Bearer second']);
});
