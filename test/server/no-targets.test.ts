// The page when no target is watched or the filter matches none: it says so, and never shows that all is healthy.

import { expect, test } from 'vitest';
import type { DiscoveryState } from '../../src/server/discovery-status.ts';
import type { FleetShards } from '../../src/server/shards.ts';
import { serveExporter, stateOf } from '../support/exporter-server.ts';
import { pageOf, textOf } from '../support/page.ts';
import { fleetOfSize } from './fleet/world.ts';

const source: DiscoveryState = { source: 'file/0', successful: true, targets: 0, unwatched: [] };
const refused = (targets: number) => ({ reason: 'refused', targets, message: 'refuse connections', examples: [] });
const failing = { ...source, source: 'file/1', successful: false, failure: 'missing.json: no such file' };

const shards = (): FleetShards => ({
  shard: 1,
  total: 2,
  settled: 2,
  addressOf: () => undefined,
  ownerOf: () => 0,
  targets: [{ name: 'a', labels: {} }],
});

test.each([
  { where: 'nothing is configured', title: '· no targets', lead: 'No targets are configured.' },
  {
    where: 'a source has not returned a list yet',
    discovery: [{ ...source, successful: undefined }],
    title: '· no targets',
    lead: 'Service discovery has found no targets yet.',
  },
  { where: 'the list is empty', discovery: [source], title: '· no targets', lead: 'Service discovery has found no targets.' },
  {
    where: 'a source fails',
    discovery: [source, failing],
    title: '! no targets',
    lead: 'Service discovery has found no targets.',
  },
  {
    where: 'all discovered targets refuse connections',
    discovery: [
      { ...source, unwatched: [refused(3)] },
      { ...failing, unwatched: [refused(1)] },
    ],
    title: '! 4 found, none watched',
    lead: 'Service discovery has found 4 targets, and none is watched.',
  },
  {
    where: 'another shard watches all targets',
    discovery: [source],
    given: { shards },
    title: '· no targets',
    lead: 'This shard watches none of 1 target.',
  },
])('when $where, the page says: $lead', async ({ discovery, given, title, lead }) => {
  const { url } = await serveExporter({ state: () => stateOf(new Map(), { discovery }), ...given });
  const page = await (await fetch(url)).text();
  expect(/<title>(.*?) · snowgauge<\/title>/.exec(page)?.[1]).toBe(title);
  expect(textOf(page)).toContain(` ${lead} `);
});

test('a filter that matches no target does not show the fleet as healthy', async () => {
  const { page, text } = await pageOf(fleetOfSize(10, [7]), '/?q=xyz');
  expect(page).toContain('<title>· none of 10 matches · snowgauge</title>');
  expect(text).toContain(' None of 10 targets matches. ');
});
