// /api/v1/safe-to-restart over a real socket: its targets, its duration, and the source of its result.

import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import type { ServerInputs } from '../../src/server/inputs.ts';
import { serveExporter, stateOf } from '../support/exporter-server.ts';
import { onTrack, sets, validates, validatorTarget } from '../support/validators.ts';

const known = (name: string, isReady = true, tagSets = sets) => {
  const budget = { primary: validates(), ofL1: validates(5n), reward: onTrack(1200), nodeId: `NodeID-${name}` };
  const target = validatorTarget({ ...budget, options: { name, tagSets: tagSets }, ...(isReady ? {} : { health: {} }) });
  return [name, target] as const;
};

const targets = new Map([known('a'), known('b'), known('c', true, sets.slice(0, 1))]);

const asking = async (query: string, given: Partial<ServerInputs> & { readonly of?: typeof targets } = {}) => {
  const { of = targets, ...inputs } = given;
  const { url } = await serveExporter({ targets: of, ...inputs });
  const response = await fetch(`${url}/api/v1/safe-to-restart${query}`);
  return { status: response.status, type: response.headers.get('content-type'), body: JSON.parse(await response.text()) };
};

const namesIn = ({ targets }: { readonly targets: readonly { readonly name: string }[] }) => targets.map(({ name }) => name);

describe('/api/v1/safe-to-restart', () => {
  test('returns the example of docs/api.md for a target', async () => {
    const docs = await readFile(new URL('../../docs/api.md', import.meta.url), 'utf8');
    const [, example = ''] = /## Safe to restart[\s\S]*?```json\n([\s\S]*?)```/.exec(docs) ?? [];
    const { status, type, body } = await asking('?target=a');
    expect([status, type]).toEqual([200, 'application/json; charset=utf-8']);
    expect(body).toEqual(JSON.parse(example));
  });

  test('returns all targets by default', async () => {
    expect(namesIn((await asking('')).body)).toEqual(['a', 'b', 'c']);
  });

  test('considers all other targets for one target, and its result is the overall result', async () => {
    const of = new Map([known('a'), known('b', false)]);
    expect((await asking('?target=a', { of })).body).toMatchObject({
      result: 'unsafe',
      targets: [{ name: 'a', result: 'unsafe' }],
    });
    expect((await asking('', { of })).body).toMatchObject({
      result: 'unsafe',
      targets: [{ result: 'unsafe' }, { result: 'unknown' }],
    });
  });

  test('returns the named targets, and those that have the tag set', async () => {
    expect(namesIn((await asking('?target=c&target=a')).body)).toEqual(['a', 'c']);
    expect(namesIn((await asking('?tagSet=my-l1')).body)).toEqual(['a', 'b']);
    expect(namesIn((await asking('?tagSet=my-l1&target=c')).body)).toEqual(['a', 'b', 'c']);
  });

  test('checks the duration of the parameter `for`', async () => {
    expect((await asking('?target=a&for=10m')).body).toMatchObject({ forSeconds: 600, result: 'safe' });
    expect((await asking('?target=a&for=601s')).body).toMatchObject({
      result: 'unsafe',
      targets: [{ reasons: [{ type: 'BudgetTooSmall' }, {}, {}] }],
    });
  });

  test('is unknown without targets', async () => {
    expect((await asking('', { of: new Map() })).body).toMatchObject({ result: 'unknown', targets: [] });
  });

  test.each([
    { query: '?for=never', status: 400, error: 'for "never" must be a duration from 1s to 24h, such as 10m' },
    { query: '?for=25h', status: 400, error: 'for "25h" must be a duration from 1s to 24h, such as 10m' },
    { query: '?for=1m&for=24h', status: 400, error: 'for is given more than once' },
    { query: '?name=a', status: 400, error: 'unknown parameter "name": expected one of target, tagSet, for' },
    { query: '?target=d', status: 404, error: 'unknown target "d": expected one of a, b, c' },
    { query: '?tagSet=theirs', status: 404, error: expect.stringMatching(/^unknown tag set "theirs": expected one of \w/) },
  ])('rejects $query with $status', async ({ query, status, error }) => {
    expect(await asking(query)).toMatchObject({ status, body: { error } });
  });

  test('reports the number of discovered nodes that are not watched, without a change of the result', async () => {
    const unwatched = (reason: string, count: number) => ({ reason, targets: count, message: '', examples: [] });
    const source = { source: 'kubernetes/0', successful: true, targets: 3 };
    const discovery = [{ ...source, unwatched: [unwatched('refused', 2), unwatched('duplicate', 4), unwatched('pending', 1)] }];
    const asked = async (found: typeof discovery) => {
      const state = () => stateOf(targets, { discovery: found });
      const { result, judgedFrom } = (await asking('?target=a', { state })).body;
      return { result, ...judgedFrom };
    };
    expect(await asked(discovery)).toEqual({ result: 'safe', by: 'exporter', targets: 3, notWatched: 3 });
    expect(await asked([{ ...source, unwatched: [] }])).toEqual({ result: 'safe', by: 'exporter', targets: 3, notWatched: 0 });
  });

  test('reports the shard of the result, and which shard watches a target that this one does not', async () => {
    const names = ['a', 'b', 'c', 'd'].map((name) => ({ name, labels: {} }));
    const shards = () => ({
      ...{ shard: 1, total: 2, settled: 2, targets: names },
      addressOf: () => '10.0.0.7:9652',
      ownerOf: (name: string) => (name === 'd' ? 0 : 1),
    });
    expect((await asking('', { shards })).body.judgedFrom).toEqual({ by: 'shard', targets: 3, shard: 1, fleetTargets: 4 });
    expect((await asking('?target=d', { shards })).body).toEqual({ error: 'shard 0 watches d, at 10.0.0.7:9652' });
  });
});
