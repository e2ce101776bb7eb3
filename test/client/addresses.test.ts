// A name with several addresses: each is reached, however long its connections take.

import type { LookupFunction } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { clientOf } from '../support/asking.ts';
import { stoppedNode } from '../support/stopped-node.ts';

test('a node whose connections take longer than 250 ms is reached at the second time, though its name has another address', async () => {
  const { port, goOn } = await stoppedNode();
  let lookups = 0;
  const lookup: LookupFunction = (_host, _options, callback) => {
    lookups += 1;
    setImmediate(() => {
      // Nothing listens at the other.
      callback(
        null,
        ['127.0.0.1', '127.0.0.2'].map((address) => ({ address, family: 4 })),
      );
      // The first packet has met the node as it is; the next one is sent a second later.
      if (lookups === 2) setImmediate(() => setImmediate(goOn));
    });
  };
  const client = clientOf(`http://node.example:${port}`, { timeoutMs: 60_000, lookup });
  onTestFinished(() => client.close());
  expect((await client.liveness([])).outcome.kind).toBe('refused');
  expect((await client.liveness([])).outcome.kind).toBe('ok');
});
