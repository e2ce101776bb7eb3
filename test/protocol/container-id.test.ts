// Whether a container's id is that of its bytes: by rule, and on what a real node gave.

import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import * as z from 'zod/mini';
import { idOfBytes } from '../../src/protocol/container-id.ts';
import { encodeCb58, encodeHex, idOf } from '../../src/protocol/id.ts';

const block = Buffer.from('a block that is long enough to be one');

const length = (bytes: number): Buffer => {
  const text = Buffer.alloc(4);
  text.writeUInt32BE(bytes);
  return text;
};

const signed = (bytes: number): Buffer => Buffer.concat([block, length(bytes), Buffer.alloc(bytes, 7)]);
const plain = (bytes: Uint8Array): string => `0x${Buffer.from(bytes).toString('hex')}`;

describe('the id of a container', () => {
  test.each([
    { bytes: 'whose hash it is', container: { id: idOf(block), bytes: encodeHex(block) }, is: 'hash' },
    { bytes: 'none at all, whose hash it is', container: { id: idOf(Buffer.of()), bytes: encodeHex(Buffer.of()) }, is: 'hash' },
    { bytes: 'without a checksum, whose hash it is', container: { id: idOf(block), bytes: plain(block) }, is: 'hash' },
    { bytes: 'in capitals', container: { id: idOf(block), bytes: `0x${encodeHex(block).slice(2).toUpperCase()}` }, is: 'hash' },
    ...[0, 1, 71, 256, 512, 1024].map((size) => ({
      bytes: `with a signature of ${size} bytes that it leaves out`,
      container: { id: idOf(block), bytes: encodeHex(signed(size)) },
      is: 'hash',
    })),
    { bytes: 'of another', container: { id: idOf(Buffer.of(1)), bytes: encodeHex(block) }, is: 'not-hash' },
    {
      bytes: 'cut short before what is no signature',
      container: { id: idOf(block.subarray(0, -9)), bytes: encodeHex(block) },
      is: 'not-hash',
    },
    { bytes: 'of anything, and no id', container: { id: 'P-chain', bytes: encodeHex(block) }, is: 'not-hash' },
    {
      bytes: 'of anything, and an id of 20 bytes',
      container: { id: encodeCb58(block.subarray(0, 20)), bytes: encodeHex(block) },
      is: 'not-hash',
    },
    {
      bytes: 'with a wrong checksum',
      container: { id: idOf(block), bytes: `${encodeHex(block).slice(0, -2)}ff` },
      is: 'unreadable',
    },
    { bytes: 'of half a digit', container: { id: idOf(block), bytes: `${encodeHex(block)}0` }, is: 'unreadable' },
    { bytes: 'without 0x', container: { id: idOf(block), bytes: encodeHex(block).slice(2) }, is: 'unreadable' },
    { bytes: 'of nothing', container: { id: idOf(block), bytes: '' }, is: 'unreadable' },
  ])('and bytes $bytes: $is', ({ container, is }) => {
    expect(idOfBytes(container)).toBe(is);
  });
});

const captured = z.object({ request: z.object({ path: z.string() }), response: z.object({ body: z.string() }) });
const container = z.object({ id: z.string(), bytes: z.string(), encoding: z.literal('hex') });
const answer = z.object({ result: z.union([container, z.object({ containers: z.array(container) })]) });

test('every container of a real node’s P, X and C has the id of its bytes, though none of whole bytes', () => {
  const folder = new URL('../fixtures/captures/populated-index/', import.meta.url);
  const seen = new Map<string, { readonly id: string; readonly bytes: string }>();
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.json'))) {
    const { request, response } = captured.parse(JSON.parse(readFileSync(new URL(file, folder), 'utf8')));
    const parsed = answer.safeParse(response.body.startsWith('{') ? JSON.parse(response.body) : undefined);
    if (!parsed.success) continue;
    const { result } = parsed.data;
    for (const one of 'containers' in result ? result.containers : [result]) seen.set(`${request.path} ${one.id}`, one);
  }
  expect(new Set([...seen.keys()].map((key) => key.slice('/ext/index/'.length, '/ext/index/P'.length)))).toEqual(
    new Set(['P', 'X', 'C']),
  );
  for (const one of seen.values()) {
    expect(idOfBytes(one)).toBe('hash');
    const whole = createHash('sha256')
      .update(Buffer.from(one.bytes.slice(2, -8), 'hex'))
      .digest();
    expect(encodeCb58(whole)).not.toBe(one.id);
  }
});
