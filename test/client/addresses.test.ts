// A name with several addresses: each is reached, however slow its connections are.

import type { LookupFunction } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { clientOf } from '../support/asking.ts';
import { stoppedNode } from '../support/stopped-node.ts';

test('a node whose connections take over 250 ms is reached on the second request, although its name has another address', async () => {
  const { port, goOn } = await stoppedNode();
  let lookups = 0;
  const lookup: LookupFunction = (_host, _options, callback) => {
    lookups += 1;
    setImmediate(() => {
      // Nothing listens at the other address.
      callback(
        null,
        ['127.0.0.1', '127.0.0.2'].map((address) => ({ address, family: 4 })),
      );
      // The first packet met the stopped node; the kernel sends the next one a second later.
      if (lookups === 2) setImmediate(() => setImmediate(goOn));
    });
  };
  const client = clientOf(`http://node.example:${port}`, { timeoutMs: 60_000, lookup });
  onTestFinished(() => client.close());
  expect((await client.liveness([])).outcome.kind).toBe('refused');
  expect((await client.liveness([])).outcome.kind).toBe('ok');
});
