// Targets that are discovered but not watched: beyond the limit, refusing connections, or invalid. From real files, with stubbed
// connections.

import { getEventListeners, once, setMaxListeners } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { targetFrom } from '../../src/config/target.ts';
import { createConnectionCheck, takesConnections } from '../../src/discovery/connection-check.ts';
import { createDiscovery, type DiscoveryDependencies } from '../../src/discovery/discovery.ts';
import type { SourceTarget } from '../../src/discovery/merge.ts';
import { refusedSentence } from '../../src/discovery/problems.ts';
import { listeningLog } from '../support/events.ts';
import { configOf, folderOf, patience, put } from './world.ts';

const discovering = async (
  given: object,
  answers: (url: string) => boolean | Promise<boolean> = () => true,
  more: Pick<DiscoveryDependencies, 'share' | 'memory'> = {},
) => {
  let ahead = 0;
  const { log, said } = listeningLog();
  const stop = new AbortController();
  const applied: (readonly SourceTarget[])[] = [];
  const asked: string[] = [];
  const discovery = createDiscovery({
    now: () => Date.now() / 1000 + ahead,
    log,
    signal: stop.signal,
    userAgent: 'test',
    cluster: { server: undefined, serviceAccountDir: '' },
    apply: (placed) => applied.push(placed),
    answers: (url) => {
      asked.push(url);
      return Promise.resolve(answers(url));
    },
    pace: { settleMs: 10, retrySeconds: 0.05 },
    ...more,
  });
  onTestFinished(async () => {
    stop.abort();
    await discovery.finished;
  });
  const configure = async (next: object) => discovery.configure((await configOf({ discovery: next })).discovery, [targetFrom()]);
  await configure(given);
  const names = (): readonly string[] => applied.at(-1)?.map(({ found }) => found.name) ?? [];
  return {
    applied,
    asked,
    configure,
    names,
    shareChanged: discovery.shareChanged,
    isSuccessful: () => discovery.status()[0]?.successful,
    isListed: () => discovery.status()[0]?.isListed === true,
    /** Targets watched by this shard. */
    watched: () => discovery.status()[0]?.targets,
    said: (message: string) => said.filter((one) => one.message === message),
    dropped: (reason: 'limit' | 'refused' | 'invalid') => discovery.status()[0]?.dropped.get(reason),
    pass: (seconds: number) => {
      ahead += seconds;
    },
  };
};

const addresses = (count: number, from = 0): readonly string[] =>
  Array.from({ length: count }, (_, at) => `10.${(at + from) >> 16}.${((at + from) >> 8) & 255}.${(at + from) & 255}:9650`);

test('watches at most maxTargets of 5,000 discovered targets and keeps those already watched', async () => {
  const file = join(await folderOf(), 'nodes.json');
  await put(file, [{ targets: addresses(40, 9000) }]);
  const one = { files: [file] };
  const { names, dropped, said, configure } = await discovering({ maxTargets: 50, file: [one] });
  await expect.poll(names, patience).toHaveLength(40);
  const first = names();
  await put(file, [{ targets: [...addresses(5000), ...addresses(40, 9000)] }]);
  await expect.poll(() => dropped('limit'), patience).toBe(4990);
  await expect.poll(names, patience).toHaveLength(50);
  expect(names()).toEqual(expect.arrayContaining([...first]));
  const sentence = 'too many targets discovered: some are not watched';
  expect(said(sentence)).toEqual([
    expect.objectContaining({
      fields: expect.objectContaining({
        source: 'file/0',
        count: 4990,
        errors: expect.arrayContaining([expect.stringContaining('discovery.maxTargets is 50: raise it, drop targets')]),
      }),
    }),
  ]);
  await configure({ maxTargets: 10_000, file: [one] });
  await expect.poll(names, patience).toHaveLength(5040);
  expect(dropped('limit')).toBe(0);
});

test('logs one error per target for unusable labels, and at most ten', async () => {
  const file = join(await folderOf(), 'nodes.json');
  const bad = Object.fromEntries(['1', '2', '3'].map((name) => [`${'é'.repeat(500)}${name}`, 'x']));
  await put(file, [{ targets: addresses(1500), labels: bad }]);
  const { names, said } = await discovering({ file: [{ files: [file] }] });
  const lines = () => said('some labels or annotations of discovered targets are not used').map(({ fields }) => fields);
  await expect.poll(names, patience).toHaveLength(1000);
  const first = expect.stringMatching(/^\S+: label é+…é+1 is not a label name: [^;]+; also not usable: é+…é+2, é+…é+3$/);
  expect(lines()).toEqual([{ source: 'file/0', count: 1500, errors: Array(10).fill(first) }]);
});

test('drops labels and tags that are too long and logs the limits', async () => {
  const file = join(await folderOf(), 'nodes.json');
  const labels = { long: 'x'.repeat(129), __tag_sets__: `my-l1=${'x'.repeat(257)}` };
  await put(file, [
    { targets: ['10.0.0.1'], labels },
    { targets: ['10.0.0.2'], labels: { __tag_sets__: `my-l1=${Array.from({ length: 17 }, (_, at) => at)}` } },
  ]);
  const { names, said } = await discovering({ file: [{ files: [file] }] });
  await expect.poll(names, patience).toHaveLength(2);
  const [line] = said('some labels or annotations of discovered targets are not used');
  const how = 'write NAME=TAG,TAG;NAME=TAG, auto or all';
  expect(line?.fields.errors).toEqual([
    `10.0.0.1:9650: the label __tag_sets__ is not used: [0].tags[0] must have at most 256 characters: ${how}`,
    '10.0.0.1:9650: label long must have at most 128 characters',
    `10.0.0.2:9650: the label __tag_sets__ is not used: [0].tags must have at most 16 entries: ${how}`,
  ]);
});

test('connection checks of a thousand refusing nodes leak no abort listeners', async () => {
  const server = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1');
  onTestFinished(async () => {
    server.close();
  });
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { signal } = new AbortController();
  setMaxListeners(0, signal);
  for (let asked = 0; asked < 1000; asked += 50)
    await Promise.all(Array.from({ length: 50 }, () => takesConnections(url, signal)));
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});

const thousand = (site: string): readonly object[] =>
  addresses(1000).map((address, at) => ({ targets: [address], labels: { target: `n${at}`, site } }));

/** For each applied list, the number of names added to or gone from the one before. */
const changesOf = (applied: readonly (readonly SourceTarget[])[], kind: 'added' | 'gone'): readonly number[] =>
  applied.map((one, at) => {
    const [those, others] = kind === 'added' ? [one, applied[at - 1] ?? []] : [applied[at - 1] ?? [], one];
    const names = new Set(others.map(({ found }) => found.name));
    return those.filter(({ found }) => !names.has(found.name)).length;
  });

test('adds a new list of a thousand targets in portions of 250, saves all names at once, and applies changed labels in one go', async () => {
  const file = join(await folderOf(), 'nodes.json');
  await put(file, thousand('a'));
  const kept: number[] = [];
  const keep = async (names: readonly string[], isWhole: boolean) => isWhole && kept.push(names.length);
  const memory = { has: () => true, keep };
  const { applied, names, isListed } = await discovering({ file: [{ files: [file] }] }, () => true, { memory });
  await expect.poll(() => applied.length, patience).toBeGreaterThan(0);
  // A shard is ready only once it watches its whole share.
  while (names().length < 1000) {
    expect(isListed()).toBe(false);
    const before = applied.length;
    await expect.poll(() => applied.length, patience).toBeGreaterThan(before);
  }
  await expect.poll(isListed, patience).toBe(true);
  expect(changesOf(applied, 'added')).toEqual([250, 250, 250, 250]);
  expect(new Set(kept)).toEqual(new Set([1000]));
  const portions = applied.length;
  await put(file, thousand('b'));
  const sites = () => new Set(applied.at(-1)?.map(({ found }) => found.labels.site));
  await expect.poll(sites, patience).toEqual(new Set(['b']));
  expect(applied).toHaveLength(portions + 1);
});

test('a list counts as complete once every target has been checked, and stays so when its source fails', async () => {
  const file = join(await folderOf(), 'nodes.json');
  await put(file, [{ targets: addresses(2) }]);
  const answer: ((answered: boolean) => void)[] = [];
  const answers = () => new Promise<boolean>((resolve) => answer.push(resolve));
  const { names, isListed, isSuccessful } = await discovering({ file: [{ files: [file] }] }, answers);
  await expect.poll(isSuccessful, patience).toBe(true);
  await expect.poll(() => answer.length, patience).toBe(2);
  expect(isListed()).toBe(false);
  answer[0]?.(true);
  await expect.poll(names, patience).toHaveLength(1);
  expect(isListed()).toBe(false);
  answer[1]?.(false);
  await expect.poll(isListed, patience).toBe(true);
  expect(names()).toHaveLength(1);
  await put(file, 'half a li');
  await expect.poll(isSuccessful, patience).toBe(false);
  expect(isListed()).toBe(true);
});

test('adds a new target at the end of a list that keeps changing', async () => {
  const file = join(await folderOf(), 'nodes.json');
  await put(file, thousand('a'));
  const { names } = await discovering({ maxTargets: 2000, file: [{ files: [file] }] });
  await expect.poll(names, patience).toHaveLength(1000);
  let nth = 0;
  const isThere = async (): Promise<boolean> => {
    nth += 1;
    await put(file, [...thousand(`${nth}`), { targets: ['10.9.9.9:9650'], labels: { target: 'last' } }]);
    return names().includes('last');
  };
  await expect.poll(isThere, { ...patience, interval: 500 }).toBe(true);
});

test('takes over a thousand targets from other shards without dropping any in between', async () => {
  const file = join(await folderOf(), 'nodes.json');
  await put(file, thousand('a'));
  let isOwn = false;
  const share = { isOwn: () => isOwn, isToStay: () => isOwn };
  const { applied, names, shareChanged, watched } = await discovering({ file: [{ files: [file] }] }, () => true, { share });
  await expect.poll(names, patience).toHaveLength(1000);
  isOwn = true;
  shareChanged();
  await expect.poll(watched, patience).toBe(1000);
  expect(Math.max(...changesOf(applied, 'gone'))).toBe(0);
});

const placedAt = (address: string): SourceTarget => {
  const target = targetFrom({ name: address.replace(/[.:]/g, '-'), url: `http://${address}` });
  return { source: 'file/0', found: { name: target.options.name, url: target.options.url, labels: {}, target: () => target } };
};

test('skips connection checks of targets that are no longer discovered, so that new ones do not wait', async () => {
  const asked: string[] = [];
  const stop = new AbortController();
  onTestFinished(() => stop.abort());
  const { update } = createConnectionCheck({
    answers: (url, signal) => {
      asked.push(url);
      setMaxListeners(0, signal);
      return new Promise((resolve) => signal.addEventListener('abort', () => resolve(true)));
    },
    now: () => 0,
    signal: stop.signal,
    changed: () => undefined,
  });
  const list = (from: number): readonly SourceTarget[] => addresses(100, from).map(placedAt);
  update(list(0));
  update(list(1000));
  await expect.poll(() => asked, patience).toHaveLength(50);
  expect(asked).toEqual(addresses(50, 1000).map((address) => `http://${address}`));
});

test('a list of more than 20,000 targets fails and keeps the previous list', async () => {
  const file = join(await folderOf(), 'nodes.json');
  await put(file, [{ targets: addresses(3) }]);
  const { names, said } = await discovering({ file: [{ files: [file] }] });
  await expect.poll(names, patience).toHaveLength(3);
  await put(file, [{ targets: addresses(20_001) }]);
  const failure = () => said('discovery failed, keeping the last list').map(({ fields }) => fields);
  const reason = '20001 targets are more than 20000: shorten the list, or name fewer namespaces or files';
  const found = { source: 'file/0', reason: expect.stringContaining(reason), targets: 3 };
  await expect.poll(failure, patience).toEqual([found]);
  expect(names()).toHaveLength(3);
});

test('the last source fails when all sources together find more than 20,000 targets, and the other lists stay', async () => {
  const folder = await folderOf();
  const [one, other] = [join(folder, 'one.json'), join(folder, 'other.json')];
  await put(one, [{ targets: addresses(19_999) }]);
  await put(other, [{ targets: addresses(1, 30_000) }]);
  const { names, said } = await discovering({ maxTargets: 50, file: [{ files: [one] }, { files: [other] }] });
  await expect.poll(names, patience).toHaveLength(50);
  await put(other, [{ targets: addresses(2, 30_000) }]);
  const failure = () => said('discovery failed, keeping the last list').map(({ fields }) => fields);
  const reason =
    'all sources together would find 20001 targets, more than 20000: shorten a list, or name fewer namespaces or files';
  await expect.poll(failure, patience).toEqual([{ source: 'file/1', reason, targets: 1 }]);
  expect(names()).toHaveLength(50);
});

test('the last source fails when all lists together are larger than 8 MiB, and the other lists stay', async () => {
  const folder = await folderOf();
  const [one, other] = [join(folder, 'one.json'), join(folder, 'other.json')];
  const long = (from: number) => addresses(300, from).map((target) => ({ targets: [target], labels: { a: 'x'.repeat(13_000) } }));
  await put(one, [...long(0), ...long(300)].slice(0, 310));
  await put(other, [{ targets: addresses(1, 30_000) }]);
  const { names, said } = await discovering({ maxTargets: 1000, file: [{ files: [one] }, { files: [one] }, { files: [other] }] });
  const failures = () => said('discovery failed, keeping the last list').map(({ fields }) => fields);
  await expect.poll(names, patience).toHaveLength(311);
  expect(failures()).toEqual([]);
  await put(other, long(1000));
  const reason = expect.stringMatching(
    /^all lists together would hold \d+ bytes, more than 8388608: leave out labels, or shorten a list$/,
  );
  await expect.poll(failures, patience).toEqual([{ source: 'file/2', reason, targets: 1 }]);
  expect(names()).toHaveLength(311);
});

test('logs refusing targets once, together, after a minute', async () => {
  const file = join(await folderOf(), 'nodes.json');
  await put(file, [{ targets: addresses(30) }]);
  const refusing = new Set(addresses(29).map((address) => `http://${address}`));
  const { names, dropped, said, pass, asked } = await discovering({ file: [{ files: [file] }] }, (url) => !refusing.has(url));
  await expect.poll(names, patience).toHaveLength(1);
  const again = (url: string): number => asked.filter((one) => one === url).length;
  await expect.poll(() => again('http://10.0.0.3:9650'), patience).toBeGreaterThan(2);
  expect(said(refusedSentence)).toEqual([]);
  pass(61);
  await expect.poll(() => said(refusedSentence), patience).toHaveLength(1);
  expect(said(refusedSentence)[0]?.fields).toMatchObject({ count: 29 });
  expect(dropped('refused')).toBe(29);
  refusing.delete('http://10.0.0.3:9650');
  await expect.poll(names, patience).toEqual(expect.arrayContaining(['10.0.0.3:9650', '10.0.0.29:9650']));
  // It stays a target, so that an alert fires when it refuses again.
  refusing.add('http://10.0.0.3:9650');
  const before = again('http://10.0.0.4:9650');
  await expect.poll(() => again('http://10.0.0.4:9650'), patience).toBeGreaterThan(before + 2);
  expect(names()).toContain('10.0.0.3:9650');
  expect(said(refusedSentence)).toHaveLength(1);
});

test('watches refusing targets as down after ten minutes if most targets accept connections', async () => {
  const file = join(await folderOf(), 'nodes.json');
  await put(file, [{ targets: addresses(5) }]);
  const refusing = new Set(addresses(3).map((address) => `http://${address}`));
  const { names, pass, asked } = await discovering({ file: [{ files: [file] }] }, (url) => !refusing.has(url));
  await expect.poll(names, patience).toHaveLength(2);
  const retried = async (url: string): Promise<void> => {
    const again = (): number => asked.filter((one) => one === url).length;
    const before = again();
    await expect.poll(again, patience).toBeGreaterThan(before + 2);
  };
  // Three of five refuse: a missing --http-host is more likely.
  pass(601);
  await retried('http://10.0.0.1:9650');
  expect(names()).toHaveLength(2);
  refusing.delete('http://10.0.0.2:9650');
  await expect.poll(names, patience).toHaveLength(5);
  await put(file, [{ targets: addresses(6) }]);
  refusing.add('http://10.0.0.5:9650');
  await retried('http://10.0.0.5:9650');
  expect(names()).toHaveLength(5);
  pass(601);
  await expect.poll(names, patience).toHaveLength(6);
});

test.each([
  { labels: {}, address: '10.0.0.1', made: { name: '10.0.0.1:9650', url: 'http://10.0.0.1:9650' } },
  { labels: {}, address: 'fd00::1', made: { name: '[fd00::1]:9650', url: 'http://[fd00::1]:9650' } },
  { labels: { __scheme__: 'https', __path__: '/proxy/' }, address: 'a:1', made: { name: 'a:1', url: 'https://a:1/proxy' } },
  { labels: { target: 'x' }, address: 'https://proxy/node-1', made: { name: 'x', url: 'https://proxy/node-1' } },
  {
    labels: { __tag_sets__: 'l1=tagA, tagB; other=tagC', team: 'a' },
    address: 'a:1',
    isAuto: false,
    made: {
      name: 'a:1',
      labels: { team: 'a' },
      tagSets: [
        { name: 'all', tags: [] },
        { name: 'l1', tags: ['tagA', 'tagB'] },
        { name: 'other', tags: ['tagC'] },
      ],
    },
  },
  {
    labels: {},
    address: 'a:1',
    made: { tagSets: [{ name: 'all', tags: [] }], writtenTagSets: [{ name: 'all', tags: [] }] },
  },
  {
    labels: { __tag_sets__: 'auto; l1=tagA' },
    address: 'a:1',
    made: {
      writtenTagSets: [
        { name: 'all', tags: [] },
        { name: 'l1', tags: ['tagA'] },
      ],
    },
  },
  { labels: { __tag_sets__: 'all' }, address: 'a:1', isAuto: false, made: { tagSets: [{ name: 'all', tags: [] }] } },
  // Watched all the same, with the tag sets of its subnets, because the label is invalid.
  ...['A B=c', 'foo', 'foo=', 'foo=;l1=tagA', ''].map((__tag_sets__) => ({
    labels: { job: 'node', __tag_sets__ },
    address: 'a:1',
    isAuto: true,
    made: { name: 'a:1', labels: {}, tagSets: [{ name: 'all', tags: [] }] },
  })),
  { labels: {}, address: 'a/b', made: undefined },
  { labels: { __scheme__: 'http://elsewhere/' }, address: 'a:1', made: undefined },
  { labels: { __path__: '@elsewhere/' }, address: 'a:1', made: undefined },
  { labels: {}, address: 'http://user:secret@a:1', made: undefined },
  { labels: { target: 'a b' }, address: 'a:1', made: undefined },
  { labels: { target: 'a'.repeat(317) }, address: 'a:1', made: { name: 'a'.repeat(317) } },
  { labels: { target: 'a'.repeat(318) }, address: 'a:1', made: undefined },
])('address $address with labels $labels', async ({ labels, address, made, isAuto = true }) => {
  const file = join(await folderOf(), 'nodes.json');
  await put(file, [{ targets: ['last:1'] }, { targets: [address], labels }]);
  const { applied, dropped, said } = await discovering({ file: [{ files: [file] }] });
  await expect.poll(() => applied.at(-1)?.length, patience).toBe(made === undefined ? 1 : 2);
  expect(dropped('invalid')).toBe(made === undefined ? 1 : 0);
  expect(JSON.stringify(said('discovered targets are invalid and not watched'))).not.toContain('secret');
  if (made === undefined) return;
  const options = applied.at(-1)?.[1]?.found.target().options;
  expect(options).toMatchObject(made);
  expect(options?.writtenTagSets !== undefined).toBe(isAuto);
});
