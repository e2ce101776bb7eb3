// A chain of the simulated network, the same on every node: a pure function of the seed, the chain and the height, and a
// clock that determines the network's height.

import { decodeId, idOf, sha256 } from '../../protocol/id.ts';
import { fillWords, type Seed } from './filler.ts';

export interface ChainShape {
  /** Name of the chain's check: P, X, C, an alias or the blockchain id. */
  readonly name: string;
  /** Blockchain id, cb58. */
  readonly id: string;
  /** cb58; the primary network's for P, X and C. */
  readonly subnetId: string;
  /** Blocks that the network had accepted before the node first started. */
  readonly history: number;
  readonly blockIntervalSeconds: number;
  /** Bytes of the smallest and the largest block; by default like those of the real chain of this name. */
  readonly blockBytes?: readonly [min: number, max: number];
}

export type SimulatedChain = Readonly<ReturnType<typeof simulateChain>>;

const headerLength = 46;

const realSizes: Readonly<Record<string, readonly [number, number]>> = { P: [300, 700], X: [500, 1500], C: [700, 4000] };

const seedOf = (seed: number, id: string, kind: string): Seed => {
  const hash = sha256(`${seed}/${id}/${kind}`);
  return [hash.readInt32BE(0), hash.readInt32BE(4), hash.readInt32BE(8), hash.readInt32BE(12)];
};

/** `epoch`: first start of the node, in seconds; it must be the same at every start on the same data dir. */
export const simulateChain = (seed: number, epoch: number, shape: ChainShape) => {
  const blockSeed = seedOf(seed, shape.id, 'block');
  const vertexSeed = seedOf(seed, shape.id, 'vertex');
  const isX = shape.name === 'X';
  const sizes = shape.blockBytes ?? realSizes[shape.name] ?? [500, 3000];
  const chainId = decodeId(shape.id) ?? new Uint8Array(32);
  const { history, blockIntervalSeconds: interval } = shape;
  /** Number of heights, from 1 on, that have a vertex, from before the chain was linear: X only. */
  const vertices = isX ? Math.floor(history / 2) : 0;

  /** Height 0 is the genesis block, which is accepted but never indexed. */
  const block = (height: number) => {
    const { bytes, first } = draw(blockSeed, height, sizes);
    writeHeader(bytes, 0x20, chainId, height);
    // On X: the bytes after the header, cut into 1 to 3 transactions.
    return { bytes, transactions: isX ? cut(bytes, 1 + (first % 3)) : [] };
  };

  return {
    shape,
    vertices,
    /** Height accepted by the network at `now`. Tolerates rounding errors of up to a thousandth of a block's time. */
    heightAt: (now: number): number => history + (interval > 0 && now > epoch ? Math.floor((now - epoch) / interval + 1e-3) : 0),
    /** All of the history is accepted at the epoch. */
    acceptedAt: (height: number): number => epoch + Math.max(0, height - history) * interval,
    block,
    vertex: (height: number): Buffer => {
      const { bytes } = draw(vertexSeed, height, sizes);
      writeHeader(bytes, 0x10, chainId, height);
      return bytes;
    },
  };
};

/** Small blocks are common and large ones rare. */
const draw = (seed: Seed, height: number, [min, max]: readonly [number, number]): { bytes: Buffer; first: number } => {
  const lot = new Uint32Array(1);
  fillWords(lot, seed, height);
  const first = lot[0] ?? 0;
  const share = first / 2 ** 32;
  const size = Math.round(min * (max / min) ** (share * Math.sqrt(share)));
  const words = Math.ceil(size / 4);
  const buffer = Buffer.allocUnsafe(words * 4);
  fillWords(new Uint32Array(buffer.buffer, buffer.byteOffset, words), seed, height);
  return { bytes: buffer.subarray(0, Math.max(size, headerLength)), first };
};

/** Codec version, type, chain and height, in the order of real blocks. */
const writeHeader = (bytes: Buffer, type: number, chainId: Uint8Array, height: number): void => {
  bytes.writeUInt16BE(0, 0);
  bytes.writeUInt32BE(type, 2);
  bytes.set(chainId, 6);
  bytes.writeBigUInt64BE(BigInt(height), 38);
};

const cut = (bytes: Buffer, parts: number): readonly Buffer[] => {
  const length = Math.floor((bytes.length - headerLength) / parts);
  return Array.from({ length: parts }, (_, part) => {
    const from = headerLength + part * length;
    return bytes.subarray(from, part === parts - 1 ? bytes.length : from + length);
  });
};

export const blockId = (chain: SimulatedChain, height: number): string => idOf(chain.block(height).bytes);
