// Discovery adds and removes targets without a restart: over real files and sockets, as `run` wires them.

import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseConfig } from '../../src/config/load.ts';
import { freePort } from '../support/free-port.ts';
import { folderOf, nodes, put, world } from './world.ts';

const target = { healthCheckFrequency: '1s', indexes: [] };

test('a target is added, relabelled and removed, with one target-removed event', async () => {
  const [folder, { port }] = [await folderOf(), await nodes()];
  const file = join(folder, 'nodes.json');
  const one = (labels: object) => [{ targets: [`127.0.0.2:${port}`], labels: { target: 'one', ...labels } }];
  const all = (labels: object) => [...one(labels), { targets: [`127.0.0.3:${port}`] }];
  await put(file, one({ region: 'eu' }));
  const { watches, becomes, get, values } = await world({ discovery: { target, file: [{ files: [file] }] } });
  await watches('one');
  await becomes('snowgauge_up', { target: 'one', region: 'eu' }, [1]);
  await put(file, all({ region: 'us' }));
  await watches('one', `127.0.0.3:${port}`);
  await becomes('snowgauge_up', { target: 'one', region: 'us' }, [1]);
  await becomes('snowgauge_discovery_targets', { source: 'file/0' }, [2]);
  await put(file, []);
  await watches();
  expect(await get('/metrics')).not.toMatch(/target="one"/);
  expect(await get('/')).not.toContain('127.0.0.3');
  expect(await get('/')).toMatch(/Service discovery has found no targets\.[\s\S]*<th scope="row" role="rowheader">file\/0</);
  expect(JSON.parse(await get('/api/v1/fleet'))).toMatchObject({ total: 0, targets: [], discovery: [{ source: 'file/0' }] });
  expect(await get('/?target=one')).toContain('There is no target named one');
  // Another pod may have the address by now, so probe paths of a removed target do not poll it.
  expect(await get('/targets/one/readyz')).toBe((await get('/targets/never/readyz')).replaceAll('never', 'one'));
  expect(await values('snowgauge_discovery_last_refresh_successful', { source: 'file/0' })).toEqual([1]);
  const { records } = JSON.parse(await get('/api/v1/history'));
  const removed = records.filter(({ kind }: { readonly kind: string }) => kind === 'target-removed');
  expect(removed).toEqual([
    expect.objectContaining({ target: 'one', message: 'no longer found by file/0' }),
    expect.objectContaining({ target: `127.0.0.3:${port}` }),
  ]);
});

test('logs the number of added and removed targets and names the first twenty', async () => {
  const [folder, { port }] = [await folderOf(), await nodes()];
  const file = join(folder, 'nodes.json');
  const names = Array.from({ length: 21 }, (_, at) => `n-${at}`);
  await put(
    file,
    names.map((name, at) => ({ targets: [`127.0.0.${at + 2}:${port}`], labels: { target: name } })),
  );
  const { watches, says } = await world({ discovery: { target, file: [{ files: [file] }] } });
  await watches(...names);
  await put(file, []);
  const removed = names.slice(0, 20);
  await says('discovered targets changed', { addedCount: 0, added: [], removedCount: 21, removed, targets: 0 });
});

test('metrics, API and page show the source of a target until the configuration defines it', async () => {
  const [folder, { port }] = [await folderOf(), await nodes()];
  const file = join(folder, 'nodes.json');
  const url = `http://127.0.0.2:${port}`;
  await put(file, [{ targets: [`127.0.0.2:${port}`], labels: { target: 'one' } }]);
  const discovery = { target, file: [{ files: [file] }] };
  const { becomes, values, get, configure } = await world({ discovery });
  await becomes('snowgauge_target_info', { target: 'one', source: 'file/0' }, [1]);
  expect(JSON.parse(await get('/api/v1/fleet')).targets).toMatchObject([{ name: 'one', source: 'file/0' }]);
  expect(await get('/')).toContain('<dt>Discovered by</dt><dd>file/0</dd>');
  await configure({ discovery, targets: [{ name: 'one', url, ...target }] });
  await becomes('snowgauge_target_info', { target: 'one', source: 'configuration' }, [1]);
  expect(await values('snowgauge_target_info', { source: 'file/0' })).toEqual([]);
  expect(JSON.parse(await get('/api/v1/status')).targets[0]).not.toHaveProperty('source');
});

test('a new address is polled at once and the target keeps its state', async () => {
  const [folder, { port, asked }] = [await folderOf(), await nodes()];
  const file = join(folder, 'nodes.json');
  const at = (host: string) => put(file, [{ targets: [`${host}:${port}`], labels: { target: 'one' } }]);
  await at('127.0.0.2');
  const slow = { ...target, healthCheckFrequency: '1h', timeout: '1m' };
  const { becomes, values, get } = await world({ discovery: { target: slow, file: [{ files: [file] }] } });
  await becomes('snowgauge_polls_total', { target: 'one', api: 'health', outcome: 'ok' }, [1]);
  await at('127.0.0.3');
  await becomes('snowgauge_polls_total', { target: 'one', api: 'health', outcome: 'ok' }, [2]);
  expect(asked.get(`127.0.0.3:${port}`)).toBeGreaterThan(0);
  expect(await values('snowgauge_up', { target: 'one' })).toEqual([1]);
  expect(JSON.parse(await get('/api/v1/history')).records).not.toContainEqual(
    expect.objectContaining({ kind: 'target-removed' }),
  );
});

describe('discovery from a file', () => {
  const groups = (port: number) => [{ targets: [`127.0.0.2:${port}`], labels: { target: 'one' } }];

  test.each([
    {
      title: 'half-written',
      text: (whole: string) => whole.slice(0, -5),
      reason: /nodes.json line 1: not JSON: it ends too early$/,
    },
    { title: 'empty', text: () => '', reason: /nodes.json is empty: write \[\] for no targets/ },
    { title: 'of another shape', text: () => '{"targets":[]}', reason: /nodes.json is not a list of target groups/ },
    { title: 'of 9 MB', text: () => ' '.repeat(9_000_000), reason: /nodes.json cannot be read: it is larger than/ },
  ])('that is $title keeps the previous list and reports the failure until the file is valid', async ({ text, reason }) => {
    const [folder, { port }] = [await folderOf(), await nodes()];
    const file = join(folder, 'nodes.json');
    await put(file, groups(port));
    const { watches, becomes, says } = await world({ discovery: { target, file: [{ files: [file] }] } });
    await watches('one');
    await writeFile(file, text(JSON.stringify(groups(port))));
    await becomes('snowgauge_discovery_last_refresh_successful', { source: 'file/0' }, [0]);
    await says('discovery failed, keeping the last list', {
      source: 'file/0',
      reason: expect.stringMatching(reason),
      targets: 1,
    });
    await becomes('snowgauge_up', { target: 'one' }, [1]);
    await put(file, groups(port));
    await becomes('snowgauge_discovery_last_refresh_successful', { source: 'file/0' }, [1]);
    await says('discovery recovered', { source: 'file/0' });
    await watches('one');
  });

  test('allows files of a pattern to disappear, but requires a file given by name', async () => {
    const [folder, { port }] = [await folderOf(), await nodes()];
    const yaml = (name: string): string => `- targets: ['127.0.0.2:${port}']\n  labels: {target: ${name}, shard: 7}\n`;
    await put(join(folder, 'a.yml'), yaml('a'));
    const named = join(folder, 'named.json');
    await put(named, [{ targets: [`127.0.0.4:${port}`], labels: { target: 'named' } }]);
    const { watches, becomes } = await world({
      discovery: { target, file: [{ files: [join(folder, '*.yml')] }, { files: [named] }] },
    });
    await watches('a', 'named');
    await becomes('snowgauge_up', { target: 'a', shard: '7' }, [1]);
    await put(join(folder, 'b.yml'), yaml('b').replace('127.0.0.2', '127.0.0.3'));
    await watches('a', 'b', 'named');
    await rm(join(folder, 'a.yml'));
    await rm(named);
    await watches('b', 'named');
    await becomes('snowgauge_discovery_last_refresh_successful', { source: 'file/1' }, [0]);
    await becomes('snowgauge_discovery_last_refresh_successful', { source: 'file/0' }, [1]);
  });
});

test('counts refusing nodes as dropped targets and does not watch them', async () => {
  const [folder, { port }, closed] = [await folderOf(), await nodes(), await freePort()];
  const file = join(folder, 'nodes.json');
  await put(file, [{ targets: [`127.0.0.2:${port}`, `127.0.0.3:${closed}`, `127.0.0.4:${closed}`] }]);
  const { watches, becomes, get } = await world({ discovery: { target, file: [{ files: [file] }] } });
  await watches(`127.0.0.2:${port}`);
  await becomes('snowgauge_discovery_dropped_targets', { source: 'file/0', reason: 'refused' }, [2]);
  expect(await get('/metrics')).not.toContain(`127.0.0.3:${closed}`);
  const names = [`127.0.0.3:${closed}`, `127.0.0.4:${closed}`];
  const message =
    'discovered targets refuse connections and are not watched: they are down, or they listen on 127.0.0.1, the default: start the nodes with --http-host';
  expect(JSON.parse(await get('/api/v1/status')).discovery).toMatchObject([
    {
      source: 'file/0',
      status: 'True',
      lastSuccessTime: expect.any(String),
      targets: 1,
      unwatched: [{ reason: 'refused', targets: 2, message, examples: names }],
    },
  ]);
  // One sentence for all of them.
  expect((await get('/')).split('start the nodes with --http-host')).toHaveLength(2);
});

test('a target watched before a restart is watched as down if it refuses after it, with a stateDir', async () => {
  const [folder, stateDir, { port }, closed] = [await folderOf(), await folderOf(), await nodes(), await freePort()];
  const file = join(folder, 'nodes.json');
  const at = (one: number) => [
    { targets: [`127.0.0.2:${one}`], labels: { target: 'one' } },
    { targets: [`127.0.0.3:${closed}`], labels: { target: 'never' } },
  ];
  await put(file, at(port));
  const given = { stateDir, discovery: { target, file: [{ files: [file] }] } };
  const before = await world(given);
  await before.watches('one');
  const kept = () => readFile(join(stateDir, 'discovered.json'), 'utf8').catch(() => '');
  await expect.poll(kept).toBe('{"version":1,"targets":["one"]}\n');
  await before.end();
  await put(file, at(closed));
  const after = await world(given);
  await after.watches('one');
  await after.becomes('snowgauge_up', { target: 'one' }, [0]);
  await after.becomes('snowgauge_discovery_dropped_targets', { source: 'file/0', reason: 'refused' }, [1]);
  // A target that is no longer listed is forgotten.
  await put(file, []);
  await after.watches();
  await expect.poll(kept).toBe('{"version":1,"targets":[]}\n');
});

test('a target that is down stays watched when a reload moves it from targets to discovery', async () => {
  const [folder, { port }, closed] = [await folderOf(), await nodes(), await freePort()];
  const file = join(folder, 'nodes.json');
  await put(file, [{ targets: [`127.0.0.2:${port}`] }, { targets: [`127.0.0.3:${closed}`], labels: { target: 'down' } }]);
  const { watches, becomes, configure } = await world({
    targets: [{ name: 'by-hand', url: `http://127.0.0.3:${closed}`, ...target }],
  });
  await watches('by-hand');
  await configure({ targets: [], discovery: { target, file: [{ files: [file] }] } });
  await watches(`127.0.0.2:${port}`, 'down');
  await becomes('snowgauge_up', { target: 'down' }, [0]);
});

test('targets with the same name or address are merged: the configured or the first one wins, and the log says so once', async () => {
  const [folder, { port }] = [await folderOf(), await nodes()];
  const [a, b] = [join(folder, 'a.json'), join(folder, 'b.json')];
  const at = (host: string, name: string) => ({ targets: [`${host}:${port}`], labels: { target: name } });
  await put(a, [at('127.0.0.2', 'mine'), at('127.0.0.3', 'other'), at('127.0.0.4', 'shared'), at('127.0.0.5', 'twice')]);
  await put(b, [at('127.0.0.6', 'shared'), at('127.0.0.5', 'again'), at('127.0.0.7', 'own')]);
  const handwritten = [{ name: 'mine', url: `http://127.0.0.9:${port}`, ...target }];
  const sameNode = [...handwritten, { name: 'by-hand', url: `http://127.0.0.3:${port}`, ...target }];
  const discovery = { target, file: [{ files: [a] }, { files: [b] }] };
  const { watches, becomes, said, configure } = await world({ targets: sameNode, discovery });
  await watches('mine', 'by-hand', 'shared', 'twice', 'own');
  await becomes('snowgauge_target_info', { target: 'mine', url: `http://127.0.0.9:${port}` }, [1]);
  await becomes('snowgauge_target_info', { target: 'shared', url: `http://127.0.0.4:${port}` }, [1]);
  await becomes('snowgauge_discovery_dropped_targets', { source: 'file/1', reason: 'duplicate' }, [2]);
  const told = () =>
    said.filter(({ message }) => message === 'targets are configured and discovered: the configuration takes precedence');
  expect(told()).toHaveLength(1);
  // A change of another file does not repeat the log line; without the configured target the discovered one is used.
  await put(b, []);
  await watches('mine', 'by-hand', 'shared', 'twice');
  expect(told()).toHaveLength(1);
  await configure({ targets: handwritten, discovery });
  await watches('mine', 'other', 'shared', 'twice');
});

test('a reload changes sources and removes their targets', async () => {
  const [folder, { port }] = [await folderOf(), await nodes()];
  const file = join(folder, 'nodes.json');
  await put(file, [{ targets: [`127.0.0.2:${port}`], labels: { target: 'one' } }]);
  const targets = [{ name: 'mine', url: `http://127.0.0.9:${port}`, ...target }];
  const keep = { files: [file], relabelings: [{ action: 'replace', targetLabel: 'team', replacement: 'a' }] };
  const { watches, becomes, configure, get } = await world({ targets });
  await configure({ targets, discovery: { target, file: [{ files: [file] }] } });
  await watches('mine', 'one');
  await configure({ targets, discovery: { target, file: [keep] } });
  await becomes('snowgauge_up', { target: 'one', team: 'a' }, [1]);
  // A replaced source that fails keeps the list of its predecessor.
  await configure({ targets, discovery: { target, file: [{ files: [join(folder, 'missing.json')] }] } });
  await becomes('snowgauge_discovery_last_refresh_successful', { source: 'file/0' }, [0]);
  await watches('mine', 'one');
  const [source] = JSON.parse(await get('/api/v1/status')).discovery;
  expect(source).toMatchObject({ status: 'False', targets: 1, message: expect.stringContaining('missing.json') });
  expect(await get('/')).toMatch(/file\/0<[\s\S]*failing[\s\S]*missing\.json/);
  await configure({ targets });
  await watches('mine');
});

describe('the discovery configuration', () => {
  test.each([
    { given: { targets: [] }, errors: ['targets: must have at least 1 entry, unless discovery or probe.allow is configured'] },
    {
      given: { targets: [], probe: { modules: [{ name: 'a' }] } },
      errors: ['targets: must have at least 1 entry, unless discovery or probe.allow is configured'],
    },
    { given: { targets: [], probe: { allow: [{ cidr: '10.0.0.0/8' }] } }, errors: [] },
    { given: { targets: [], probe: { modules: [{ name: 'a', allow: [{ host: 'b' }] }] } }, errors: [] },
    {
      given: { discovery: { file: [{ files: ['/a/*/b.json', '/a.txt'] }] } },
      errors: [expect.stringContaining('discovery.file[0].files[0]'), expect.stringContaining('discovery.file[0].files[1]')],
    },
    {
      given: { discovery: { http: [{ url: 'http://user:secret@host/' }] } },
      errors: [expect.not.stringContaining('secret')],
    },
    { given: { discovery: { maxTargets: 0 } }, errors: ['discovery.maxTargets: 0 must be an integer from 1 to 10000'] },
    { given: { discovery: { kubernetes: [{ namespaces: ['a'] }] } }, errors: [] },
  ])('is validated: $given', async ({ given, errors }) => {
    const read = await parseConfig(JSON.stringify(given), {});
    expect(read.kind === 'ok' ? [] : read.errors.map(({ path, message }) => `${path}: ${message}`)).toEqual(errors);
  });

  test('defines no target of its own unless SNOWGAUGE_URL is set', async () => {
    const read = await parseConfig('discovery: {kubernetes: [{namespaces: [a]}]}', {});
    expect(read).toMatchObject({ kind: 'ok', value: { targets: [] } });
    const other = await parseConfig('discovery: {kubernetes: [{namespaces: [a]}]}', { SNOWGAUGE_URL: 'http://a:1' });
    expect(other).toMatchObject({ kind: 'ok', value: { targets: [{ options: { name: 'node', url: 'http://a:1' } }] } });
  });
});
