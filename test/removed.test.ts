// Names that change under a probe: a removed target or tag set is still polled, and its probes respond, while it is probed.
// Over real sockets, with a clock that the test can advance.

import type { Socket } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { serve } from '../src/commands/serve.ts';
import { targetFrom } from '../src/config/target.ts';
import { polledFor } from '../src/removed.ts';
import { listeningLog } from './support/events.ts';
import { parseExposition } from './support/exposition-parser.ts';
import { freePort } from './support/free-port.ts';
import { serveHttp } from './support/serve.ts';
import { valuesOf } from './support/watching.ts';

const patience = { timeout: 280_000 };

/** Polled every second. Reports become stale only after a time that is long enough for a busy machine. */
const believed = { healthCheckFrequency: '1s', staleAfter: 60, frozenAfter: 60 } as const;

type Given = NonNullable<Parameters<typeof targetFrom>[0]>;

interface World {
  readonly configure: (...targets: readonly Given[]) => void;
  readonly get: (path: string) => Promise<{ readonly status: number; readonly body: string }>;
  /** Resolves when the path returns that status and a matching body. */
  readonly gets: (path: string, status: number, body?: RegExp) => Promise<void>;
  readonly counted: () => Promise<readonly number[]>;
  readonly pass: (seconds: number) => void;
  readonly said: ReturnType<typeof listeningLog>['said'];
}

/** The exporter as `run` starts it. */
const world = async (...targets: readonly Given[]): Promise<World> => {
  let ahead = 0;
  const { log, said } = listeningLog();
  const stop = new AbortController();
  const configOf = (given: readonly Given[]) => given.map((one) => targetFrom({ ...believed, indexes: [], ...one }));
  const serving = await serve(
    { source: 'test', listen: { host: '127.0.0.1', port: 0 }, targets: configOf(targets) },
    { now: () => Date.now() / 1000 + ahead, log, version: 'test', signal: stop.signal },
  );
  if (serving.kind === 'invalid') throw new Error(JSON.stringify(serving.errors));
  onTestFinished(async () => {
    stop.abort();
    await serving.finished;
  });
  const get = async (path: string) => {
    const response = await fetch(serving.url + path);
    return { status: response.status, body: await response.text() };
  };
  return {
    configure: (...next) => {
      const rest = { metrics: { include: [], exclude: [] }, maintenance: { windows: [] } };
      expect(serving.replace({ targets: configOf(next), ...rest }).kind).toBe('ok');
    },
    get,
    gets: async (path, status, body = /./) => {
      await expect.poll(() => get(path), patience).toEqual({ status, body: expect.stringMatching(body) });
    },
    counted: async () => {
      const families = parseExposition((await get('/metrics')).body, 'text');
      return valuesOf(
        families.flatMap(({ series }) => series),
        'snowgauge_removed_target_probes_total',
      );
    },
    pass: (seconds) => {
      ahead += seconds;
    },
    said,
  };
};

/** A node whose checks run each second: some without a tag, and one for each of the tags a and b. */
const node = async () => {
  const failing = new Set<string>();
  const open = new Set<Socket>();
  const served = await serveHttp((request, response) => {
    open.add(request.socket);
    request.resume();
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://node');
    const tags = searchParams.getAll('tag');
    const tagged = ['a', 'b'].filter((tag) => tags.length === 0 || tags.includes(tag));
    const timestamp = `${new Date().toISOString().slice(0, 19)}Z`;
    const names = pathname === '/ext/health' ? ['bls', 'network', ...tagged] : [];
    const checks = names.map((name) => [name, { timestamp, duration: 5000, ...(failing.has(name) && { error: 'failed' }) }]);
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ checks: Object.fromEntries(checks), healthy: names.every((name) => !failing.has(name)) }));
  });
  onTestFinished(() => served.close());
  return {
    url: served.url,
    /** Makes only these checks fail. */
    fails: (...names: readonly string[]): void => {
      failing.clear();
      for (const name of names) failing.add(name);
    },
    die: (): Promise<void> => served.close(),
  };
};

const tagSet = (name: string, ...tags: readonly string[]) => ({ name, tags: [...tags] });

describe('a target that is renamed', () => {
  const readiness = { failAfter: 1, ignoreChecks: ['bls'] };

  test('responds under both names without a gap, each with its own settings', async () => {
    const { url, fails } = await node();
    const { configure, get, gets } = await world({ name: 'old', url, readiness });
    await gets('/targets/old/readyz', 200);
    configure({ name: 'new', url, readiness: { failAfter: 1 } });
    for (const path of [
      '/targets/old/readyz',
      '/targets/old/startupz',
      '/targets/old/livez',
      '/targets/new/readyz',
      '/self/readyz',
    ])
      expect(await get(path)).toMatchObject({ status: 200, body: expect.stringMatching(/^True /) });
    fails('bls');
    await gets('/targets/new/readyz', 503, /^False ChecksFailing: bls/);
    await gets('/targets/old/readyz', 200, /^True FailuresIgnored: .*\(no longer in the configuration: use \/self\/readyz\)$/m);
    fails('network');
    await gets('/targets/old/readyz', 503, /^False ChecksFailing: network/);
    fails();
    await gets('/targets/old/readyz', 200, /^True ChecksPassing/);
  });

  test('suggests its new path, also next to other targets, but not if two targets match', async () => {
    const [renamed, other] = [await node(), await node()];
    const { configure, get, gets, said } = await world({ name: 'old', url: renamed.url }, { name: 'other', url: other.url });
    const newPath = async () => /\(no longer in the configuration: (.*)\)/.exec((await get('/targets/old/readyz')).body)?.[1];
    await gets('/targets/old/readyz', 200);
    configure({ name: 'new', url: renamed.url }, { name: 'other', url: other.url });
    expect(await newPath()).toBe('use /targets/new/readyz');
    expect(said.findLast(({ message }) => message.startsWith('probe of a removed'))?.fields.use).toBe('/targets/new/readyz');
    configure({ name: 'new', url: renamed.url }, { name: 'newer', url: renamed.url });
    expect(await newPath()).toBe('change the path of this probe');
    configure({ name: 'other', url: other.url });
    expect(await newPath()).toBe('change the path of this probe');
  });

  test('disappears from metrics, page and API at once, whatever its node does', async () => {
    const { url, fails } = await node();
    const { configure, get, gets, said } = await world({ name: 'old', url, readiness });
    await gets('/targets/old/readyz', 200);
    configure({ name: 'new', url });
    const records = async () => JSON.parse((await get('/api/v1/history?target=old')).body).records;
    const recorded = await records();
    fails('network');
    await gets('/targets/old/readyz', 503, /^False /);
    expect((await get('/metrics')).body).not.toContain('target="old"');
    expect(JSON.parse((await get('/api/v1/status')).body).targets.map(({ name }: { name: string }) => name)).toEqual(['new']);
    expect((await get('/?target=old')).status).toBe(404);
    expect(await records()).toEqual(recorded);
    expect(said.filter(({ level, fields }) => level !== 'info' && fields.target === 'old')).toEqual([
      expect.objectContaining({ message: 'probe of a removed target: change its path' }),
    ]);
  });

  test('is polled until ten minutes without a probe; its probes are counted and logged once', async () => {
    const { url } = await node();
    const { configure, get, gets, counted, pass, said } = await world({ name: 'old', url }, { name: 'other', url });
    await gets('/targets/old/readyz', 200);
    expect(await counted()).toEqual([0]);
    configure({ name: 'other', url });
    const ofOld = () => said.filter(({ fields }) => fields.target === 'old');
    const before = ofOld().length;
    pass(polledFor - 60);
    await gets('/targets/old/livez', 200, /^True /);
    const [probes = 0] = await counted();
    expect(probes).toBeGreaterThan(0);
    pass(polledFor - 60);
    await gets('/targets/old/livez', 200, /^True /);
    expect((await counted())[0]).toBeGreaterThan(probes);
    expect(ofOld().slice(before)).toEqual([
      {
        level: 'warn',
        message: 'probe of a removed target: change its path',
        fields: { target: 'old', path: '/targets/old/livez', use: '/self/livez', until: '10 min without a probe' },
      },
    ]);
    pass(polledFor + 1);
    await expect.poll(() => ofOld().at(-1)?.message, patience).toBe('stopped polling a removed target');
    expect(await get('/targets/old/livez')).toEqual({
      status: 200,
      body: 'Unknown TargetNotFound: unknown target "old": expected one of other\n',
    });
    expect(ofOld().slice(before)).toHaveLength(2);
  });

  test('whose name is configured again is the new target at once', async () => {
    const { url, fails } = await node();
    const other = await node();
    const { configure, get, gets } = await world({ name: 'old', url });
    await gets('/targets/old/readyz', 200);
    configure({ name: 'new', url });
    await gets('/targets/old/readyz', 200, /no longer in the configuration/);
    fails('network');
    await gets('/targets/old/readyz', 503, /no longer in the configuration/);
    configure({ name: 'old', url: other.url });
    expect((await get('/targets/old/readyz')).body).not.toContain('no longer');
    await gets('/targets/old/readyz', 200, /^True ChecksPassing: every check passes$/m);
  });

  test('whose node dies is polled at once, because its connection closes', async () => {
    const { url, die } = await node();
    const slow = { url, healthCheckFrequency: '1h', timeout: '1m' };
    const { configure, get, gets } = await world({ name: 'old', ...slow });
    await gets('/targets/old/livez', 200, /^True /);
    configure({ name: 'new', ...slow });
    await gets('/targets/old/livez', 200, /^True /);
    await die();
    await expect
      .poll(() => get('/targets/old/readyz'), patience)
      .toMatchObject({ body: expect.stringMatching(/^Unknown ConnectionRefused/) });
  });
});

test('above the limit, the removed targets that were probed least recently are dropped first', async () => {
  const url = `http://127.0.0.1:${await freePort()}`;
  const many = Array.from({ length: 11 }, (_, at) => ({ name: `n${at}`, url }));
  const { configure, get, pass } = await world(...many, { name: 'stays', url });
  configure(...many.slice(2), { name: 'stays', url });
  pass(10);
  expect((await get('/targets/n0/livez')).body).toContain('no longer in the configuration');
  pass(10);
  configure({ name: 'stays', url });
  expect((await get('/targets/n0/livez')).body).toContain('no longer in the configuration');
  expect((await get('/targets/n1/livez')).body).toContain('TargetNotFound');
  expect((await get('/targets/n10/livez')).body).toContain('no longer in the configuration');
});

test('as many removed targets are kept as are configured, so that all can be renamed at once', async () => {
  const url = `http://127.0.0.1:${await freePort()}`;
  const many = (prefix: string) => Array.from({ length: 12 }, (_, at) => ({ name: `${prefix}${at}`, url }));
  const { configure, get } = await world(...many('old'));
  configure(...many('new'));
  for (const { name } of many('old'))
    expect((await get(`/targets/${name}/livez`)).body).toContain('no longer in the configuration');
});

describe('a tag set', () => {
  const sets = (...tagSets: readonly ReturnType<typeof tagSet>[]) => ({ tagSets: [tagSet('all'), ...tagSets] });
  const patient = { readiness: { failAfter: 1, passAfter: 3 } };

  test('that is renamed is ready under both names at once, although the whole node is not', async () => {
    const { url, fails } = await node();
    fails('b');
    const { configure, get, gets, said } = await world({ name: 'n', url, ...patient, ...sets(tagSet('one', 'a')) });
    await gets('/self/readyz/one', 200);
    await gets('/self/readyz', 503);
    configure({ name: 'n', url, ...patient, ...sets(tagSet('other', 'a')) });
    expect(await get('/self/readyz/other')).toMatchObject({ status: 200, body: expect.stringMatching(/^True ChecksPassing/) });
    for (const path of ['/self/readyz/one', '/targets/n/readyz/one'])
      expect(await get(path)).toMatchObject({ status: 200, body: expect.stringContaining('use /self/readyz/other)') });
    expect((await get('/metrics')).body).not.toContain('tag_set="one"');
    expect(said.findLast(({ message }) => message.startsWith('probe of a removed'))?.fields).toMatchObject({
      path: '/self/readyz/one',
      use: '/self/readyz/other',
    });
    fails('a');
    await gets('/self/readyz/one', 503, /^False ChecksFailing: a: /);
  });

  test('that is removed while its target is renamed still responds under /self', async () => {
    const { url, fails } = await node();
    fails('b');
    const { configure, get, gets } = await world({ name: 'n', url, ...sets(tagSet('one', 'a')) });
    await gets('/self/readyz/one', 200);
    configure({ name: 'm', url, ...sets() });
    expect(await get('/self/readyz/one')).toMatchObject({ status: 200, body: expect.stringContaining('use /self/readyz)') });
    // Also after another reload.
    configure({ name: 'm', url, ...sets(tagSet('two', 'a')) });
    await gets('/self/readyz/one', 200, /use \/self\/readyz\/two\)/);
  });

  test('responds after its removal, also if several are removed one after the other', async () => {
    const { url, fails } = await node();
    fails('network');
    const relaxed = { readiness: { ignoreChecks: ['network'] } };
    const { configure, gets } = await world({ name: 'n', url, ...relaxed, ...sets(tagSet('one', 'a'), tagSet('two', 'b')) });
    await gets('/self/readyz/one', 200);
    configure({ name: 'n', url, ...relaxed, ...sets(tagSet('two', 'b')) });
    configure({ name: 'n', url, ...relaxed, ...sets() });
    fails('network', 'b');
    await gets('/self/readyz/one', 200, /no longer/);
    await gets('/self/readyz/two', 503, /^False ChecksFailing: b: /);
  });

  test('that is not configured yet responds for the whole node, and its reloads cause no failed probe', async () => {
    const { url } = await node();
    const { configure, get, gets } = await world({ name: 'n', url, ...patient });
    await gets('/self/readyz/one', 200, /the whole node: no tag set one is configured/);
    let gaps = 0;
    let asking = true;
    const probing = (async () => {
      while (asking) if ((await get('/self/readyz/one')).status !== 200) gaps += 1;
    })();
    configure({ name: 'n', url, ...patient, ...sets(tagSet('one', 'a')) });
    await gets('/self/readyz/one', 200, /^True ChecksPassing: every check passes$/m);
    configure({ name: 'n', url, ...patient, ...sets(tagSet('one', 'a', 'b')) });
    await gets('/self/readyz/one', 200, /^True ChecksPassing: every check passes$/m);
    asking = false;
    await probing;
    expect(gaps).toBe(0);
  });

  test('of the previous node is not used if the URL changes', async () => {
    const [one, other] = [await node(), await node()];
    const { configure, get, gets } = await world({ name: 'n', url: one.url, ...sets(tagSet('one', 'a')) });
    await gets('/self/readyz/one', 200);
    configure({ name: 'n', url: other.url, ...sets() });
    expect((await get('/self/readyz/one')).body).toContain('the whole node: no tag set one is configured');
  });

  test('that changes keeps the other state of the target', async () => {
    const { url } = await node();
    const { configure, get, gets } = await world({ name: 'n', url });
    const polls = async (): Promise<number> =>
      Number(/snowgauge_polls_total\{.*api="liveness".*\} (\d+)/.exec((await get('/metrics')).body)?.[1]);
    await gets('/self/readyz', 200);
    await expect.poll(polls, patience).toBeGreaterThanOrEqual(3);
    const before = await polls();
    configure({ name: 'n', url, ...sets(tagSet('one', 'a')), indexes: ['P/block'] });
    expect((await get('/self/livez')).body).toMatch(/^True /);
    expect((await get('/metrics')).body).toMatch(/^snowgauge_check_healthy\{.*check="network".*\} 1$/m);
    expect(await polls()).toBeGreaterThanOrEqual(before);
    await expect.poll(async () => (await get('/metrics')).body, patience).toMatch(/^snowgauge_index_state\{.*index="P\/block"/m);
  });
});
