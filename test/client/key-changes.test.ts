// A node that changes the keys of TLS and says nothing.

import { expect, onTestFinished, test } from 'vitest';
import { clientOf, never } from '../support/asking.ts';
import { serveKeyChanges } from '../support/key-changing-node.ts';
import { tlsFile } from '../support/web-config.ts';

const serveFlood = async (answers: boolean) => {
  const { url, connections, close } = await serveKeyChanges(answers);
  onTestFinished(close);
  return { client: clientOf(url, { timeoutMs: 20_000, tls: { caFile: tlsFile('ca.crt') } }), connections };
};

const abuse = { kind: 'network', reason: 'sends TLS messages without end that carry no data', isAbuse: true };

test('in the place of an answer: its connection ends, and it is left alone for a while', async () => {
  const { client, connections } = await serveFlood(false);
  expect((await client.health([], never)).outcome).toMatchObject(abuse);
  expect((await client.health([], never)).outcome).toMatchObject(abuse);
  expect(connections()).toBe(1);
});

test('after an answer, on a connection that is kept', async () => {
  const { client } = await serveFlood(true);
  expect((await client.health([], never)).outcome.kind).toBe('ok');
  await expect.poll(async () => (await client.health([], never)).outcome).toMatchObject(abuse);
});
