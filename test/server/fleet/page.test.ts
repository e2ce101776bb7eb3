// The HTML of the fleet page, fetched over a real socket.

import { describe, expect, test } from 'vitest';
import type { Targets } from '../../../src/conditions/condition.ts';
import { judge } from '../../../src/conditions/judge.ts';
import { createFleetRows, maxRowsPerIteration } from '../../../src/server/fleet/rows.ts';
import type { FleetShards } from '../../../src/server/shards.ts';
import type { ShownTransition } from '../../../src/server/strip.ts';
import { sources } from '../../../src/sources/sources.ts';
import { newTarget } from '../../../src/sources/target-state.ts';
import { serveExporter } from '../../support/exporter-server.ts';
import { pageOf } from '../../support/page.ts';
import {
  failing,
  fresh,
  judged,
  noon,
  passing,
  report,
  stopped,
  targetKnowing,
  targetOptions,
  targetsOf,
} from '../../support/snapshot.ts';
import { changed, fleetOfSize, node, subnet } from './world.ts';

const names = (page: string): readonly string[] =>
  [...page.matchAll(/<tr role="row" data-key="(node-\d+)"/g)].map(([, name = '']) => name);

describe('the page of a fleet', () => {
  test('shows which subnets are not ready, on how many nodes, since when, why, and the age of the data', async () => {
    const { text } = await pageOf(fleetOfSize(1000, [7, 500, 600]));
    expect(text).toContain('3 of 1000 targets are failing. Ready: my-l1 997 of 1000.');
    expect(text).toContain('All have been polled within the last 5 s.');
    expect(text).toMatch(/my-l1 ✕ 997 of 1000 0 s .*? all ✓ 1000 of 1000/);
    expect(text).toMatch(/my-l1 ✕ 997 of 1000 0 s \S+ \(3\)/);
    // The column also has tag sets that are ready but not healthy.
    expect(text).toContain('TargetStateAffected tag setsWhySince (UTC)');
  });

  test('says on which healthy nodes the NodeID or an index is wrong, as the page of a few does', async () => {
    const own = targetsOf(node(0), node(1), node(2));
    const other = (name: string) =>
      targetKnowing(targetOptions({ name, nodeId: 'NodeID-mine', indexes: ['P/block', 'X/block'] }), {
        nodeId: 'NodeID-other',
        health: { all: fresh(report({ network: passing() })) },
        indexes: { 'P/block': fresh({ state: 'off' }), 'X/block': fresh({ state: 'empty' }) },
      });
    const one = await pageOf(new Map([...own, ...targetsOf(other('a'))]));
    const found = 'the NodeID of a';
    expect(one.text).toContain(`All 4 targets are healthy, except for ${found} and index P/block of a.`);
    expect(one.page).toContain(`<title>✓ all healthy, except for ${found} and index P/block of a · snowgauge</title>`);
    const two = await pageOf(new Map([...own, ...targetsOf(other('a'), other('b'))]));
    expect(two.text).toContain(`except for ${found}, index P/block of a, the NodeID of b and 1 more.`);
  });

  test('puts a subnet whose nodes are all down or frozen before one with a node that is not ready', async () => {
    const of = (name: string) => targetOptions({ name: `node-${name}`, tagSets: [{ name: name.slice(0, 4), tags: [] }] });
    const up = (name: string) =>
      targetKnowing(of(name), { health: { [name.slice(0, 4)]: fresh(report({ network: passing() })) } });
    const refused = { kind: 'refused', reason: 'ECONNREFUSED' } as const;
    const down = targetKnowing(of('dead-1'), {
      health: { dead: { state: 'stale', value: report({}), at: noon - 91, failure: refused, failedAt: noon } },
      process: { state: 'gone', failure: refused, since: noon - 91 },
    });
    const ill = targetKnowing(of('fine-1'), { health: { fine: fresh(report({ network: failing('stuck') })) } });
    const targets = new Map(targetsOf({ ...up('dead-2'), ...stopped(noon - 600, 30) }, ill, up('fine-2')));
    targets.set('node-dead-1', { state: down, conditions: judge(judge(undefined, up('dead-1'), noon - 95), down, noon) });
    const { text } = await pageOf(targets);
    expect(text).toContain('3 of 4 targets are failing. Ready: dead 0 of 2 and fine 1 of 2.');
    expect(text).toMatch(/dead ✕ 0 of 22 unknown .*? none not ready, unknown now fine ✕ 1 of 2/);
  });

  test('names each of 1,000 targets in less than 300 KB, and less than 60 KB with gzip', async () => {
    const ill = Array.from({ length: 200 }, (_, at) => at * 5);
    const { url } = await serveExporter({ targets: fleetOfSize(1000, ill) });
    const plain = await (await fetch(url, { headers: { 'accept-encoding': 'identity' } })).text();
    expect(Buffer.byteLength(plain)).toBeLessThan(300_000);
    for (let at = 0; at < 1000; at += 1) expect(plain).toContain(`data-key="node-${at}"`);
    const small = await fetch(url, { headers: { 'accept-encoding': 'gzip' } });
    expect(small.headers.get('content-encoding')).toBe('gzip');
    expect(Number(small.headers.get('content-length'))).toBeLessThan(60_000);
    expect(await small.text()).toBe(plain);
  });

  test('with very long names is split into pages of less than 300 KB', async () => {
    const long = 'n'.repeat(310);
    const fleet = targetsOf(...Array.from({ length: 1000 }, (_, at) => targetKnowing(targetOptions({ name: `${long}${at}` }))));
    const { url } = await serveExporter({ targets: fleet });
    const seen = new Set<string>();
    for (let path: string | undefined = ''; path !== undefined; ) {
      const body = await (await fetch(new URL(path, url))).text();
      expect(Buffer.byteLength(body)).toBeLessThan(300_000);
      for (const [, name = ''] of body.matchAll(/data-key="(n{310}\d+)"/g)) seen.add(name);
      path = /<a href="([^"]+)">Next page</.exec(body)?.[1]?.replaceAll('&amp;', '&');
    }
    expect(seen.size).toBe(1000);
  });

  test.each([2, 10, 300])('is smaller than 300 KB with %i shards, long names and many transitions', async (total) => {
    const long = 'n'.repeat(300);
    const targets = targetsOf(
      ...Array.from({ length: 1000 }, (_, at) => {
        const one = node(at, [at % 5 === 0 ? at : -1]);
        return { ...one, options: { ...one.options, name: `${long}${at}`, labels: { cluster: `cluster-${at % 60}` } } };
      }),
    );
    const transitions = (name: string): readonly ShownTransition[] =>
      Array.from({ length: 100 }, (_, at) =>
        changed(
          21_000 - at * 200 - (Number(name.slice(300)) % 17) * 9,
          at % 2 === 0 ? 'True' : 'False',
          at % 2 === 0 ? 'False' : 'True',
        ),
      );
    const shards = (): FleetShards => ({
      shard: 0,
      total,
      settled: total,
      addressOf: (shard) => `snowgauge-${shard}.snowgauge-pods.validators.svc:9652`,
      ownerOf: (name) => Number(name.slice(300)) % total,
      targets: Array.from({ length: 3000 }, (_, at) => ({ name: `${long}${at}`, labels: {} })),
    });
    const { url } = await serveExporter({ targets, transitions, shards });
    const page = await (await fetch(`${url}/?by=cluster`)).text();
    expect(Buffer.byteLength(page)).toBeLessThan(300_000);
    expect(page).toContain('>Next page</a>');
    expect(page).toContain(`>Shard 0 of ${total}. 200 of 1000 targets are failing.`);
    expect(page).toContain('<a href="//snowgauge-1.snowgauge-pods.validators.svc:9652/">Shard 1</a>');
    expect(page).toMatch(total > 100 ? /200 more are in <a href="api\/v1\/shards"/ : /and <a href="api\/v1\/shards">\d+ more</);
  });

  test('from beyond the last target says so, and links to the first page', async () => {
    const { page, text } = await pageOf(fleetOfSize(10), '/?from=10');
    expect(text).toContain('10 targets match, and none from 11 on. First page');
    expect(page).toContain('<a href="./">First page</a>');
  });

  test('keeps the limit in its links and in the form of the filter', async () => {
    const { page, text } = await pageOf(fleetOfSize(10), '/?limit=3&q=node');
    expect(text).toContain('1 to 3 of 10, worst first.');
    expect(page).toContain('<a href="?q=node&amp;from=3&amp;limit=3">Next page</a>');
    expect(page).toContain(`<a href="?subnet=my-l1&amp;q=node&amp;limit=3">`);
    expect(page).toContain('<input type="hidden" name="limit" value="3">');
    expect((await pageOf(fleetOfSize(10), '/?limit=5000')).page).not.toContain('limit=');
  });

  test('shows the failing targets first, and the healthy ones as a list of names', async () => {
    const { page } = await pageOf(fleetOfSize(20, [9, 4]));
    expect(names(page)).toEqual(['node-4', 'node-9']);
    expect(page.match(/<li data-key="node-/g)).toHaveLength(18);
    expect(page.match(/<section class="target"/g)).toHaveLength(2);
  });

  test('shows no target in detail if five fail', async () => {
    const { page } = await pageOf(fleetOfSize(20, [1, 2, 3, 4, 5]));
    expect(page).not.toContain('<section class="target"');
  });

  test.each([
    { query: 'q=NODE-1', shows: ['node-1', 'node-10', 'node-11', 'node-12', 'node-13', 'node-14', 'node-15'] },
    { query: 'network=mainnet&q=node-1', shows: ['node-1', 'node-11', 'node-13', 'node-15'] },
    { query: 'label=cluster%3Deu&q=node-1', shows: ['node-10', 'node-12', 'node-14'] },
    { query: `subnet=${subnet}&health=failing`, shows: ['node-3', 'node-12'] },
    { query: 'subnet=my-l1&health=failing&label=cluster%3Dus', shows: ['node-3'] },
    { query: 'subnet=other', shows: [] },
    { query: 'label=cluster', shows: Array.from({ length: 16 }, (_, at) => `node-${at}`) },
  ])('filtered by $query shows only the matching targets', async ({ query, shows }) => {
    const { page, text } = await pageOf(fleetOfSize(16, [3, 12]), `/?${query}`);
    expect([...page.matchAll(/data-key="(node-\d+)"/g)].map(([, name]) => name).toSorted()).toEqual(shows.toSorted());
    if (shows.length < 16) expect(text).toContain('All 16 targets');
  });

  test.each([
    { path: '/', title: '✕ 2 of 16 are failing' },
    { path: '/?q=node-1', title: '✕ 1 of 7 is failing' },
    { path: '/?q=node-15', title: '✓ all that match are healthy' },
    { path: '/?q=node', failing: [], title: '✓ all healthy' },
    { path: '/?target=node-15', title: '✓ node-15 is healthy' },
  ])('the title of $path is $title', async ({ path, failing = [3, 12], title }) => {
    expect((await pageOf(fleetOfSize(16, failing), path)).page).toContain(`<title>${title} · snowgauge</title>`);
  });

  test('groups by network and by label, and links to each group', async () => {
    const { page, text } = await pageOf(fleetOfSize(10, [3]), '/?by=cluster');
    expect(text).toMatch(/us ✕ 4 of 5 .*? eu ✓ 5 of 5/);
    expect(page).toContain('<a href="?by=cluster&amp;label=cluster%3Dus">us</a>');
    expect((await pageOf(fleetOfSize(10, [3]), '/?by=network')).text).toMatch(/mainnet ✕ 4 of 5 .*? fuji ✓ 5 of 5/);
  });

  test('has no link for targets without a network, because it would match all targets', async () => {
    const { info } = newTarget(targetOptions()).sources;
    const fleet = Array.from({ length: 5 }, (_, at) => ({ ...node(at), sources: { ...node(at).sources, info } }));
    const { page } = await pageOf(targetsOf(...fleet), '/?by=network');
    expect(page).toMatch(/<th scope="row"[^>]*>no network<\/th>/);
  });

  test('keeps every filter when the form is sent, however rare its value', async () => {
    const many = targetsOf(
      ...Array.from({ length: 40 }, (_, at) => {
        const one = node(at);
        return { ...one, options: { ...one.options, labels: { cluster: `c-${at}`, team: 'a' } } };
      }),
    );
    const { page } = await pageOf(many, `/?subnet=${subnet}&label=cluster%3Dc-9&label=team%3Da&health=healthy&q=node`);
    const form = /<form id="filter".*?<\/form>/s.exec(page)?.[0] ?? '';
    const chosen = [...form.matchAll(/ value="([^"]*)" selected/g)].map(([, value]) => value);
    expect(chosen).toEqual([subnet, 'cluster=c-9']);
    const hidden = [...form.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)"/g)].map(([, name, value]) => [
      name,
      value,
    ]);
    expect(hidden).toEqual(
      expect.arrayContaining([
        ['label', 'team=a'],
        ['health', 'healthy'],
      ]),
    );
    const { page: rare } = await pageOf(many, '/?label=cluster%3Dc-99');
    expect(rare).toContain('value="cluster=c-99" selected>');
  });

  test('shows how many targets are frozen, stale or not polled yet', async () => {
    const polled = (at: number) => ({ lastPoll: { at, answered: true, failures: [] } });
    const { text } = await pageOf(
      targetsOf(
        node(0),
        node(1, [], stopped(noon - 600, 30)),
        node(2, [], polled(noon - 600)),
        targetKnowing(targetOptions({ name: 'node-3' })),
      ),
    );
    expect(text).toContain(
      'Of the targets 1 runs no health checks (frozen), 1 has not been polled for longer than staleAfter and 1 has not been polled yet. The others have been polled within the last 5 s.',
    );
    expect(text).toContain('node-1 ✕ frozen');
    const alone = await pageOf(targetsOf(...[0, 1, 2, 3].map((at) => node(at, [], stopped(noon - 600, 30)))));
    expect(alone.text).toContain('Of the targets 4 run no health checks (frozen).');
    expect(alone.text).not.toContain('The others');
  });

  test('has a page for each target', async () => {
    const { status, page, text } = await pageOf(fleetOfSize(1000, [999]), '/?target=node-999');
    expect(status).toBe(200);
    expect(page.match(/<section class="target"/g)).toHaveLength(1);
    expect(text).toContain('node-999 is failing: not ready for my-l1');
    expect(text).toContain('All 1000 targets');
  });

  test('is 404 for an unknown target, says so, and shows the fleet', async () => {
    const { status, page, text } = await pageOf(fleetOfSize(10), '/?target=%3Cb%3E');
    expect(status).toBe(404);
    expect(page).toContain('<title>· no target &lt;b&gt; · snowgauge</title>');
    expect(page).toContain('<p id="lead" class="none" role="status">There is no target named &lt;b&gt;: ');
    expect(text).toContain('node-9');
  });

  test('escapes labels and the query', async () => {
    const name = '"><script>alert(1)</script>';
    const odd = node(1, []);
    const fleet: Targets = new Map(
      [...fleetOfSize(4)].map(([key, target]) => [
        key,
        { ...target, state: { ...odd, options: { ...odd.options, name: key, labels: { cluster: name } } } },
      ]),
    );
    const { page } = await pageOf(fleet, `/?by=cluster&q=${encodeURIComponent('"><b>')}`);
    expect(page).not.toContain('"><script>alert');
    expect(page).not.toContain('"><b>');
  });
});

describe('the strip of a subnet', () => {
  const heightAt = async (records: readonly ShownTransition[], cell: number): Promise<string> => {
    const { url } = await serveExporter({
      targets: fleetOfSize(4, [0]),
      transitions: (name) => (name === 'node-0' ? records : [changed(3600, 'Unknown', 'True')]),
    });
    const page = await (await fetch(`${url}/?subnet=my-l1`)).text();
    const paths = [...page.matchAll(/<path class="(passing|failing)" d="([^"]*)"/g)];
    for (const [, state, d = ''] of paths)
      for (const [, from, , width, height] of d.matchAll(/M(\d+) (\d+)h(\d+)v(\d+)/g))
        if (cell >= Number(from) && cell < Number(from) + Number(width)) return `${state} ${height}`;
    return 'nothing';
  };
  const began = changed(3600, 'Unknown', 'True');
  const fell = changed(600, 'True', 'False');

  // An hour has 120 cells of 30 s.
  test.each([
    { when: 'all were ready', records: [began, fell], cell: 50, is: 'passing 2' },
    { when: 'one of four became not ready ten minutes ago', records: [began, fell], cell: 100, is: 'failing 5' },
    { when: 'one of four is not ready now', records: [began, fell], cell: 119, is: 'failing 5' },
    {
      when: 'one of four was not ready for 3 s of the cell',
      records: [began, changed(1805, 'True', 'False'), changed(1802, 'False', 'True'), fell],
      cell: 59,
      is: 'failing 5',
    },
    {
      when: 'one of four is ready again',
      records: [began, changed(1805, 'True', 'False'), changed(1802, 'False', 'True'), fell],
      cell: 62,
      is: 'passing 2',
    },
    {
      when: 'the one that was not ready was removed, until it is back',
      records: [
        began,
        changed(2400, 'True', 'False'),
        { kind: 'target-removed', at: noon - 2000 },
        changed(600, 'Unknown', 'False'),
      ],
      cell: 90,
      is: 'passing 2',
    },
  ])('shows "$is" when $when', async ({ records, cell, is }) => {
    expect(await heightAt(records, cell)).toBe(is);
  });

  test('is as tall as the fraction of targets that is not ready', async () => {
    const { url } = await serveExporter({ targets: fleetOfSize(4, [0, 1, 2, 3]) });
    expect(await (await fetch(`${url}/?subnet=my-l1`)).text()).toContain('class="failing" d="M0 0h120v10h-120z"');
  });
});

describe('rows', () => {
  const present = { now: noon, wallOffset: 0 };

  test('are rendered a few per iteration of the event loop, and again only if their target changed or became stale', async () => {
    let [made, turns, most, before] = [0, 0, 0, 0];
    const rows = createFleetRows(
      sources,
      () => {
        made += 1;
        return [];
      },
      'html',
    );
    const fleet = new Map(fleetOfSize(1000));
    let isDone = false;
    const count = (): void => {
      most = Math.max(most, made - before);
      [before, turns] = [made, turns + 1];
      if (!isDone) setImmediate(count);
    };
    setImmediate(count);
    await rows(fleet, present);
    isDone = true;
    expect([made, most]).toEqual([1000, maxRowsPerIteration]);
    expect(turns).toBeGreaterThan(1000 / maxRowsPerIteration - 2);

    fleet.set('node-5', judged(node(5, [5])));
    await rows(fleet, present);
    expect(made).toBe(1001);
    // Nothing was polled for too long, so every row is stale.
    const old = await rows(fleet, { now: noon + 200, wallOffset: 0 });
    expect(made).toBe(2001);
    expect(old.some(({ level }) => level === 'good')).toBe(false);
  });

  test('of a removed target are not on the next page', async () => {
    const rows = createFleetRows(sources, () => [], 'html');
    await rows(fleetOfSize(5), present);
    expect((await rows(fleetOfSize(4), present)).map(({ name }) => name)).toEqual(['node-0', 'node-1', 'node-2', 'node-3']);
  });
});

test('concurrent requests get the same bytes, rendered once', async () => {
  let asked = 0;
  const { url } = await serveExporter({
    targets: fleetOfSize(100),
    transitions: () => {
      asked += 1;
      return [];
    },
  });
  const pages = await Promise.all(Array.from({ length: 8 }, async () => (await fetch(url)).text()));
  expect(new Set(pages).size).toBe(1);
  expect(asked).toBe(100);
});
