// Nodes whose large responses never end do not block the large responses of honest nodes.

import { expect, onTestFinished, test } from 'vitest';
import { createBudget } from '../../src/client/budget.ts';
import { type Client, createClient } from '../../src/client/client.ts';
import { never } from '../support/asking.ts';
import { kept, serveDrips, serveReport } from '../support/drips.ts';
import { serveMainnetNode } from '../support/mainnet-node.ts';
import type { Served } from '../support/serve.ts';

const kibibyte = 1024;

test.each([
  {
    response: 'a report of 200 KiB',
    serve: () => serveReport(200 * kibibyte),
    drippers: 24,
    above: 129,
    ask: (client: Client) => client.health([], never),
  },
  {
    response: 'the peers of a node of mainnet',
    serve: () => kept(serveMainnetNode()),
    drippers: 12,
    above: 600,
    ask: (client: Client) => client.rpc('info.peers', {}, never),
  },
])(
  '$response takes precedence over responses of $drippers nodes that slowly send more than $above KiB',
  async ({ serve, drippers, above, ask }) => {
    const budget = createBudget();
    // No test lasts that long, so held room would stay held.
    const clientOf = ({ url }: Served): Client => {
      const options = { baseUrl: url, timeoutMs: 200_000, maxBodyBytes: 5 * kibibyte * kibibyte, userAgent: 'snowgauge/test' };
      const client = createClient(options, () => performance.now() / 1000, { budget });
      onTestFinished(() => client.close());
      return client;
    };
    const hostile = await Promise.all(Array.from({ length: drippers }, async () => clientOf(await serveDrips(above * kibibyte))));
    const honest = clientOf(await serve());
    let ended = 0;
    const isSlow = new Set<Client>();
    const drips = hostile.map(async (client) => {
      for (;;) {
        const { outcome } = await client.rpc('info.peers', {}, never);
        if (outcome.kind === 'network') return;
        ended += 1;
        if (outcome.kind === 'timeout' && outcome.cause === 'slow') isSlow.add(client);
      }
    });
    // Each has had room once: from here on, quick nodes take precedence.
    await expect.poll(() => isSlow.size).toBe(drippers);
    const endedMeanwhile: number[] = [];
    for (let count = 0; count < 4; count += 1) {
      const before = ended;
      expect((await ask(honest)).outcome.kind).toBe('ok');
      endedMeanwhile.push(ended - before);
    }
    // Only those that held room end, not a queue of others. On a busy machine one response may take so long that more of them end.
    expect(Math.min(...endedMeanwhile)).toBeLessThan(drippers);
    for (const client of hostile) client.close();
    await Promise.all(drips);
  },
);
