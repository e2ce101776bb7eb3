// Ids of accepted containers at the rate of bootstrapping: what protocol/id.ts gives, by the platform's SHA-256 and a base58
// of fixed length (tested to agree with it).

import { createHash } from 'node:crypto';

const alphabet = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

/** 32 bytes of an id and 4 of its checksum, as 16-bit limbs: what times 2^16 stays exact in a double. */
const limbCount = 18;
const digitsPerStep = 5;
const stepBase = 58 ** digitsPerStep;

export const sha256 = (bytes: Uint8Array): Buffer => createHash('sha256').update(bytes).digest();

/** cb58 of the 32 bytes of an id. */
export const encodeId = (id: Buffer): string => {
  const checksum = sha256(id);
  const limbs: number[] = [];
  for (let at = 0; at < 32; at += 2) limbs.push(id.readUInt16BE(at));
  limbs.push(checksum.readUInt16BE(28), checksum.readUInt16BE(30));
  return `${leadingOnes(id)}${base58(limbs)}`;
};

/** Base58 writes a zero byte in front as a `1`. No hash ever has an id of zeros only. */
const leadingOnes = (id: Buffer): string => {
  let zeros = 0;
  while (id[zeros] === 0) zeros += 1;
  return '1'.repeat(zeros);
};

/** Divides the number by 58^5 until nothing is left of it; changes `limbs`. */
const base58 = (limbs: number[]): string => {
  let text = '';
  let first = 0;
  for (;;) {
    while (first < limbCount && limbs[first] === 0) first += 1;
    if (first === limbCount) return text.replace(/^1+/, '');
    let rest = 0;
    for (let at = first; at < limbCount; at += 1) {
      const value = rest * 65_536 + (limbs[at] ?? 0);
      const quotient = Math.floor(value / stepBase);
      limbs[at] = quotient;
      rest = value - quotient * stepBase;
    }
    let step = '';
    for (let digit = 0; digit < digitsPerStep; digit += 1) {
      const left = Math.floor(rest / 58);
      step = `${alphabet.charAt(rest - left * 58)}${step}`;
      rest = left;
    }
    text = `${step}${text}`;
  }
};
