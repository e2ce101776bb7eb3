// What a poll keeps in memory of the last containers while it waits for other answers.

import { expect, onTestFinished, test } from 'vitest';
import { type Client, createClient } from '../../../src/client/client.ts';
import { indexes, servedBefore } from '../../../src/sources/indexes/indexes.ts';
import { collector } from '../../support/collector.ts';
import { serveHttp } from '../../support/serve.ts';
import { targetOptions } from '../../support/snapshot.ts';

test('no container stays in memory during other requests: those of many nodes are megabytes each', async () => {
  const container = { id: 'a', bytes: '0x00', timestamp: '2026-11-20T12:00:00Z', encoding: 'hex', index: '1' };
  const node = await serveHttp((request, response) => {
    request.resume();
    response.end(JSON.stringify({ jsonrpc: '2.0', id: 1, result: container }));
  });
  onTestFinished(() => node.close());
  const options = { baseUrl: node.url, timeoutMs: 60_000, maxBodyBytes: 65_536, userAgent: 'snowgauge/test' };
  const client = createClient(options, () => performance.now() / 1000);
  const containers: WeakRef<object>[] = [];
  let end: (fault: Error) => void = () => undefined;
  const others = new Promise<never>((_, reject) => {
    end = reject;
  });
  const watched: Client = {
    ...client,
    indexRpc: async (index, method, ...question) => {
      if (method !== 'index.getLastAccepted') return others;
      const answer = await client.indexRpc(index, method, ...question);
      if (answer.outcome.kind === 'ok') containers.push(new WeakRef(answer.outcome.value));
      return answer;
    },
  };
  const names = ['P/block', 'C/block'] as const;
  const asked = indexes.ask({
    client: watched,
    options: targetOptions({ indexes: names }),
    before: servedBefore(names),
    of: {},
    neighbours: () => ({ before: [], after: [] }),
    shared: { upgrades: () => client.rpc('info.upgrades', {}) },
  });
  await expect.poll(() => containers.length).toBe(names.length);
  const collect = collector();
  await expect
    .poll(() => {
      collect();
      return containers.map((one) => one.deref());
    })
    .toEqual([undefined, undefined]);
  end(new Error('enough'));
  await expect(asked).rejects.toThrow('enough');
});
