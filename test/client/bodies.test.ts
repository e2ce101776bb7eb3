// Any bytes as a body: one outcome, never an exception, and no reason that quotes them.

import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bySchema } from '../../src/client/answer.ts';
import { describe, outcomeKinds } from '../../src/client/outcome.ts';
import { uint64 } from '../../src/protocol/container.ts';
import { shortText, uptimeAnswer } from '../../src/protocol/info.ts';
import { clientOf, never } from '../support/asking.ts';
import { cases } from '../support/cases.ts';
import { type Served, serveHttp } from '../support/serve.ts';

let body: Uint8Array = new Uint8Array();
let status = 200;
let served: Served;

beforeAll(async () => {
  served = await serveHttp((request, response) => {
    request.resume();
    response.writeHead(status);
    response.end(body);
  });
});
afterAll(() => served.close());

const asked = async (bytes: Uint8Array | string, code = 200) => {
  body = Buffer.from(bytes);
  status = code;
  const client = clientOf(served.url, { maxBodyBytes: 8 * 1024 * 1024 });
  const answers = [
    await client.health([], never),
    await client.rpc('health.health', {}, never),
    await client.indexRpc('P/block', 'index.getContainerRange', { startIndex: 0n, numToFetch: 1024n }, never),
    await client.indexRpc('P/block', 'index.getLastAccepted', {}, never),
  ];
  client.close();
  for (const { outcome } of answers) {
    expect(outcomeKinds).toContain(outcome.kind);
    if (outcome.kind === 'ok') continue;
    const text = describe(outcome);
    expect(text).not.toMatch(/[\n\r\u2028\u2029]/);
    expect(Buffer.from(text).toString()).toBe(text);
    if ('reason' in outcome) expect(outcome.reason.length).toBeLessThanOrEqual(200);
  }
  return answers.map(({ outcome }) => outcome);
};

test('arbitrary bytes give an outcome, not an exception', async () => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), fc.constantFrom(200, 503, 404), async (bytes, code) => {
      await asked(bytes, code);
    }),
    { numRuns: cases(25) },
  );
});

test('arbitrary JSON gives an outcome, not an exception', async () => {
  await fc.assert(
    fc.asyncProperty(fc.json({ noUnicodeString: false }), async (text) => {
      await asked(text);
    }),
    { numRuns: cases(25) },
  );
});

test('arbitrary JSON inside a report, an error or a container gives an outcome, not an exception', async () => {
  const wrappings = [
    '{"checks":@,"healthy":true}',
    '{"checks":{"P":@},"healthy":false}',
    '{"checks":{"P":{"error":@}},"healthy":true}',
    '{"jsonrpc":"2.0","result":@}',
    '{"jsonrpc":"2.0","error":@}',
    '{"jsonrpc":"2.0","result":{"containers":[@]}}',
  ];
  await fc.assert(
    fc.asyncProperty(fc.json(), fc.constantFrom(...wrappings), async (text, wrapping) => {
      await asked(wrapping.replace('@', () => text));
    }),
    { numRuns: cases(30) },
  );
});

const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
const deeper = `${'{"a":'.repeat(100_000)}0${'}'.repeat(100_000)}`;

test.each([
  { body: 'an array nested 100,000 deep', text: deep, kind: 'too-large' },
  { body: 'an object nested 100,000 deep', text: deeper, kind: 'too-large' },
  { body: 'checks nested 100,000 deep', text: `{"checks":${deeper},"healthy":true}`, kind: 'too-large' },
  { body: 'a message nested 100,000 deep', text: `{"checks":{"P":{"message":${deep}}},"healthy":true}`, kind: 'too-large' },
  { body: 'an error nested 100,000 deep', text: `{"checks":{"P":{"error":${deep}}},"healthy":true}`, kind: 'too-large' },
  { body: 'half a value', text: '{"checks":{"P":{"err', kind: 'not-json' },
  { body: 'a byte order mark', text: '\ufeff{"checks":{},"healthy":true}', kind: 'not-json' },
])('$body gives $kind', async ({ text, kind }) => {
  expect((await asked(text))[0]?.kind).toBe(kind);
});

test('text that is not UTF-8 is accepted, with U+FFFD for invalid bytes', async () => {
  const bytes = Buffer.concat([Buffer.from('{"checks":{"'), Buffer.from([0xff, 0xfe]), Buffer.from('":{}},"healthy":true}')]);
  const [outcome] = await asked(bytes);
  expect(outcome).toMatchObject({ kind: 'ok', value: { checks: new Map([['\ufffd\ufffd', { contiguousFailures: 0 }]]) } });
});

test("Go's zero time means never run, and no first failure", async () => {
  const zero = '0001-01-01T00:00:00Z';
  const check = { error: 'not yet run', timestamp: zero, duration: 0, timeOfFirstFailure: zero };
  const [outcome] = await asked(JSON.stringify({ checks: { P: check }, healthy: false }));
  const read = { error: 'not yet run', timestamp: 'never', duration: 0, contiguousFailures: 0 };
  expect(outcome).toEqual({ kind: 'ok', value: { checks: new Map([['P', read]]), healthy: false } });
});

test('a reason names the path of the field, not its value', async () => {
  const container = '{"id":"a","bytes":"0x","timestamp":"s3cret","encoding":"hex","index":"1"}';
  const [, , range] = await asked(`{"jsonrpc":"2.0","result":{"containers":[${container}]}}`);
  expect(range).toMatchObject({ kind: 'malformed', reason: '0.timestamp: must be an RFC 3339 timestamp' });
});

const noPercentage = 'must be a percentage, a number from 0 to 100 or its decimal text';

test.each([
  { schema: uptimeAnswer, json: {}, reason: `rewardingStakePercentage: ${noPercentage}` },
  { schema: uptimeAnswer, json: { rewardingStakePercentage: 'much' }, reason: `rewardingStakePercentage: ${noPercentage}` },
  { schema: uptimeAnswer, json: { rewardingStakePercentage: 101 }, reason: `rewardingStakePercentage: ${noPercentage}` },
  { schema: uint64, json: [], reason: 'the response: must be a decimal uint64' },
  { schema: shortText, json: '', reason: 'the response: must not be empty' },
])('$json gives a reason that names the expected form: $reason', ({ schema, json, reason }) => {
  expect(bySchema<typeof schema>(schema)(json)).toEqual({ kind: 'malformed', reason });
});
