// Another node at the same address: its longer index is not growth of the previous one.

import { expect, onTestFinished, test } from 'vitest';
import { containersPerSecond } from '../../../src/sources/indexes/growth.ts';
import { containerAt } from '../../support/containers.ts';
import { serveHttp } from '../../support/serve.ts';
import { valuesOf, watch } from '../../support/watching.ts';

const first = 'NodeID-7Xhw2mDxuDS44j42TCB6U5579esbSt3Lg';
const second = 'NodeID-111111111111111111116DBWJs';

const served = async () => {
  let [nodeId, last] = [first, 100];
  let now = 1_800_000_000;
  const node = await serveHttp((request, response) => {
    request.resume();
    response.setHeader('node-id', nodeId).setHeader('content-type', 'application/json');
    if (request.method === 'GET') return response.end('{"checks":{},"healthy":true}');
    const { index, ...container } = containerAt(last);
    return response.end(JSON.stringify({ jsonrpc: '2.0', id: 1, result: { ...container, index: String(index) } }));
  });
  onTestFinished(() => node.close());
  const validator = { enabled: false, expected: false };
  const watching = watch(node.url, () => now, { indexes: ['X/tx'], info: false, validator });
  /** State and growth rate of the index after the next poll. */
  const poll = async (of: string, until: number) => {
    [nodeId, last] = [of, until];
    now += 30;
    await watching.poll();
    const [isHistorical] = valuesOf(await watching.page(), 'snowgauge_index_state', { state: 'historical' });
    const growth = watching.target().sources.indexes.watched.get('X/tx')?.growth ?? [];
    return { isHistorical: isHistorical === 1, perSecond: containersPerSecond(growth)?.rate };
  };
  return { poll };
};

test('X/tx stays historical, with no growth rate, when another node has a longer one', async () => {
  const { poll } = await served();
  await poll(first, 100);
  expect(await poll(first, 100)).toEqual({ isHistorical: true, perSecond: 0 });
  expect(await poll(second, 900)).toEqual({ isHistorical: true, perSecond: undefined });
  expect(await poll(second, 900)).toEqual({ isHistorical: true, perSecond: 0 });
  expect(await poll(second, 930)).toEqual({ isHistorical: false, perSecond: 0.5 });
});
