// The hash rule for ids: for containers of a real node, for unwrapped ones, and for broken ones.

import { createHash } from 'node:crypto';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import { type Container, container } from '../../src/protocol/container.ts';
import { hashFaultOf } from '../../src/protocol/container-hash.ts';
import { encodeCb58, idOf } from '../../src/protocol/id.ts';
import { indexNames } from '../../src/protocol/paths.ts';
import { decodeHex, encodeHex } from '../support/hex.ts';
import { capturesOf } from '../support/replay.ts';

const answerSchema = z.object({ result: z.union([z.object({ containers: z.array(container) }), container]) });

/** Every container with `hex` encoding that a real node returned. */
const captured = capturesOf('populated-index').flatMap(({ request, answer }) => {
  const index = indexNames.find((name) => request.path === `/ext/index/${name}`);
  const parsed = answer.body.startsWith('{') ? answerSchema.safeParse(JSON.parse(answer.body)) : undefined;
  if (index === undefined || parsed?.success !== true) return [];
  const { result } = parsed.data;
  return ('containers' in result ? result.containers : [result])
    .filter(({ encoding }) => encoding === 'hex')
    .map((one) => ({ index, one }));
});

const made = (bytes: Buffer, id: string): Container => ({
  id,
  bytes: encodeHex(bytes),
  timestamp: '2027-01-15T08:00:00Z',
  encoding: 'hex',
  index: 0n,
});

const sha256 = (bytes: Uint8Array): Buffer => createHash('sha256').update(bytes).digest();

test('every P, X and C block that a real node indexed passes the hash check', () => {
  expect(new Set(captured.map(({ index }) => index))).toEqual(new Set(['P/block', 'X/block', 'C/block']));
  expect(captured.length).toBeGreaterThan(15);
  for (const { index, one } of captured) expect(hashFaultOf(index, one)).toBeUndefined();
});

test('a block of a real node fails the hash check with a changed byte or another id', () => {
  for (const { index, one } of captured) {
    const bytes = Buffer.from(decodeHex(one.bytes) ?? []);
    bytes.writeUInt8(bytes.readUInt8(100) ^ 1, 100);
    expect(hashFaultOf(index, { ...one, bytes: encodeHex(bytes) })?.kind).toBe('hash');
    expect(hashFaultOf(index, { ...one, id: idOf(Buffer.from('other')) })?.kind).toBe('hash');
  }
});

const body = Buffer.from('what the proposer signed, the block within it');

test.each([0, 64, 71, 256, 512, 1024])('the hash of a wrapped block leaves out its signature of %i bytes', (length) => {
  const signature = Buffer.alloc(length, 7);
  const size = Buffer.alloc(4);
  size.writeUInt32BE(length);
  const block = made(Buffer.concat([body, size, signature]), encodeCb58(sha256(body)));
  expect(hashFaultOf('X/block', block)).toBeUndefined();
  expect(hashFaultOf('X/tx', block)?.kind).toBe('hash');
});

test('a wrapped block without a checksum is accepted', () => {
  const bytes = Buffer.concat([body, Buffer.from([0, 0, 0, 3, 7, 7, 7])]);
  const block = { ...made(bytes, encodeCb58(sha256(body))), bytes: `0x${bytes.toString('hex')}` };
  expect(hashFaultOf('X/block', block)).toBeUndefined();
  expect(hashFaultOf('X/tx', block)?.kind).toBe('bytes');
});

test('unwrapped blocks, transactions and vertices are hashed as a whole', () => {
  for (const index of indexNames) expect(hashFaultOf(index, made(body, idOf(body)))).toBeUndefined();
});

test('bytes without a checksum are accepted, because the API only promises hex', () => {
  const bytes = `0x${body.toString('hex')}`;
  expect(hashFaultOf('P/block', { ...made(body, idOf(body)), bytes })).toBeUndefined();
  expect(hashFaultOf('P/block', { ...made(body, idOf(Buffer.from('other'))), bytes })?.kind).toBe('bytes');
});

const rlpString = (hex: string): Buffer => {
  const bytes = Buffer.from(hex, 'hex');
  if (bytes.length === 1 && (bytes[0] ?? 0) < 0x80) return bytes;
  if (bytes.length < 56) return Buffer.concat([Buffer.from([0x80 + bytes.length]), bytes]);
  return Buffer.concat([Buffer.from([0xb9, bytes.length >> 8, bytes.length & 255]), bytes]);
};

const rlpList = (items: readonly Buffer[]): Buffer => {
  const content = Buffer.concat(items);
  return Buffer.concat([Buffer.from([0xf9, content.length >> 8, content.length & 255]), content]);
};

/** The genesis block of Ethereum: a header with a well-known hash. */
const noTransactions = '56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421';
const header = rlpList(
  [
    '00'.repeat(32),
    '1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347',
    '00'.repeat(20),
    'd7f8974fb5ac78d9ac099b9ad5018bedc2ce0a72dad1827a1709da30580f0544',
    noTransactions,
    noTransactions,
    '00'.repeat(256),
    '0400000000',
    '',
    '1388',
    '',
    '',
    '11bbe8db4e347b4e8c937c1c8370e4b5ed33adb3db69cbdb7a38e1e50b1b82fa',
    '00'.repeat(32),
    '0000000000000042',
  ].map(rlpString),
);
const headerId = encodeCb58(Buffer.from('d4e56740f876aef8c010b86a40d5f56745a118d0906a34e69aec8c0db1cb8fa3', 'hex'));

test('the id of an unwrapped C-Chain block is the hash of its header, on the C-Chain only', () => {
  const block = made(rlpList([header, Buffer.from([0xc0]), Buffer.from([0xc0])]), headerId);
  expect(hashFaultOf('C/block', block)).toBeUndefined();
  expect(hashFaultOf('P/block', block)?.kind).toBe('hash');
  expect(hashFaultOf('C/block', { ...block, id: idOf(header) })?.kind).toBe('hash');
});

/** An RLP list with this content. */
const listOf = (content: Buffer): Buffer => {
  const { length } = content;
  if (length < 56) return Buffer.concat([Buffer.from([0xc0 + length]), content]);
  const digits = length.toString(16);
  const size = Buffer.from(digits.padStart(digits.length + (digits.length % 2), '0'), 'hex');
  return Buffer.concat([Buffer.from([0xf7 + size.length]), size, content]);
};

test.each([0, 1, 54, 55, 56, 255, 256, 4000])('a header of %i bytes is extracted from its block', (length) => {
  const short = listOf(Buffer.alloc(length, 0x80));
  expect(hashFaultOf('C/block', made(listOf(Buffer.concat([short, Buffer.from([0xc0, 0xc0])])), keccak(short)))).toBeUndefined();
});

test('a header beyond the maximum length is not hashed', () => {
  const long = listOf(Buffer.alloc(100_000, 0x80));
  expect(hashFaultOf('C/block', made(listOf(Buffer.concat([long, Buffer.from([0xc0, 0xc0])])), keccak(long)))?.kind).toBe('hash');
});

test('at most four signature lengths are tried', () => {
  const length = (count: number): Buffer => {
    const size = Buffer.alloc(4);
    size.writeUInt32BE(count);
    return size;
  };
  // Each length stands where a signature of that length would start.
  const tail = Buffer.concat(Array.from({ length: 200 }, (_, at) => length(4 * (199 - at))));
  const bytes = Buffer.concat([Buffer.alloc(100, 7), tail]);
  const parts = Array.from({ length: 200 }, (_, at) => encodeCb58(sha256(bytes.subarray(0, bytes.length - 4 - 4 * at))));
  const kept = parts.filter((id) => hashFaultOf('P/block', made(bytes, id)) === undefined);
  expect(kept).toEqual(parts.slice(0, 4));
});

const keccak = (bytes: Uint8Array): string => encodeCb58(Buffer.from(keccak_256(bytes)));
const [whole, cut] = [rlpList([header]), rlpList([header]).subarray(0, -10)];

test.each([
  { block: 'is cut off within its header', bytes: cut, id: keccak(cut.subarray(3)) },
  {
    block: 'has a length that ends within its header',
    bytes: Buffer.concat([Buffer.from('f90010', 'hex'), header]),
    id: headerId,
  },
  { block: 'has no list in place of its header', bytes: Buffer.from('c180', 'hex'), id: keccak(Buffer.of()) },
  {
    block: 'is not a list, although its header is present',
    bytes: Buffer.concat([Buffer.from('b90010', 'hex'), header]),
    id: headerId,
  },
])('a C-Chain block that $block fails the hash check', ({ bytes, id }) => {
  expect(hashFaultOf('C/block', made(whole, headerId))).toBeUndefined();
  expect(hashFaultOf('C/block', made(bytes, id))?.kind).toBe('hash');
});

test('a signature above the maximum length is not left out of the hash', () => {
  const [size, more] = [Buffer.alloc(4), Buffer.alloc(1025, 7)];
  size.writeUInt32BE(more.length);
  expect(hashFaultOf('P/block', made(Buffer.concat([body, size, more]), encodeCb58(sha256(body))))?.kind).toBe('hash');
});

test.each(['', 'c0', 'f9', 'f90001', 'f9ffff00', 'c1c5', 'ffffffffffffffffffff'])(
  'bytes 0x%s are not a block and throw no exception',
  (hex) => {
    expect(hashFaultOf('C/block', made(Buffer.from(hex, 'hex'), idOf(Buffer.from('other'))))?.kind).toBe('hash');
  },
);

test.each([
  { bytes: 'in upper case', id: idOf(body), text: `0x${encodeHex(body).slice(2).toUpperCase()}`, fault: undefined },
  { bytes: 'of length 0', id: idOf(Buffer.of()), text: encodeHex(Buffer.of()), fault: undefined },
  {
    bytes: 'whose id leaves out an end that is not a signature',
    id: idOf(body.subarray(0, -9)),
    text: encodeHex(body),
    fault: 'hash',
  },
  { bytes: 'with a malformed id', id: 'P-chain', text: encodeHex(body), fault: 'hash' },
  { bytes: 'with an id of 20 bytes', id: encodeCb58(body.subarray(0, 20)), text: encodeHex(body), fault: 'hash' },
  { bytes: 'with a wrong checksum', id: idOf(body), text: `${encodeHex(body).slice(0, -2)}ff`, fault: 'bytes' },
  { bytes: 'with half a byte', id: idOf(body), text: `${encodeHex(body)}0`, fault: 'bytes' },
  { bytes: 'without 0x', id: idOf(body), text: encodeHex(body).slice(2), fault: 'bytes' },
  { bytes: 'that are an empty string', id: idOf(body), text: '', fault: 'bytes' },
])('bytes $bytes: $fault', ({ id, text, fault }) => {
  expect(hashFaultOf('P/block', { ...made(body, id), bytes: text })?.kind).toBe(fault);
});
