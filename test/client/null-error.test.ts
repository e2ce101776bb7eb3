// An error of null is no error: libraries write absent members like that, and neither a check nor a call may fail for it.

import { expect, onTestFinished, test } from 'vitest';
import { clientOf } from '../support/asking.ts';
import { serveAnswer } from '../support/serve.ts';

const answering = async (body: unknown) => {
  const served = await serveAnswer(200, JSON.stringify(body));
  onTestFinished(() => served.close());
  const client = clientOf(served.url);
  onTestFinished(() => client.close());
  return client;
};

test.each([
  { error: null, read: undefined },
  { error: '', read: '' },
  { error: 'closed', read: 'closed' },
  { error: {}, read: 'not a string' },
])('an error of $error in a check is read as $read', async ({ error, read }) => {
  const check = { message: {}, error, timestamp: '2026-11-20T12:00:00Z', duration: 1 };
  const client = await answering({ checks: { database: check }, healthy: error === null });
  const { outcome } = await client.health([]);
  expect(outcome).toMatchObject({ kind: 'ok' });
  expect(outcome.kind === 'ok' && outcome.value.checks.get('database')?.error).toBe(read);
});

test('a JSON-RPC response with a null error is a result', async () => {
  const client = await answering({ jsonrpc: '2.0', result: { isAccepted: true }, error: null, id: 1 });
  const { outcome } = await client.indexRpc('P/block', 'index.isAccepted', { id: 'a', encoding: 'hex' });
  expect(outcome).toEqual({ kind: 'ok', value: { isAccepted: true } });
});
