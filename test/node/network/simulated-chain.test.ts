// The simulated network: all nodes with the same seed see the same blocks at the same time.

import { describe, expect, it } from 'vitest';
import { type ChainShape, simulateChain } from '../../../src/node/network/simulated-chain.ts';
import { encodeCb58, idOf, primaryNetworkId, sha256 } from '../../../src/protocol/id.ts';

const shape = (name: string, history = 10, blockIntervalSeconds = 5): ChainShape => ({
  name,
  id: encodeCb58(sha256(name)),
  subnetId: primaryNetworkId,
  history,
  blockIntervalSeconds,
});

const epoch = 1_790_000_000;

describe('a simulated chain', () => {
  it('gives the same block for the same seed, chain and height, a different one otherwise', () => {
    const blocks = [
      simulateChain(1, epoch, shape('P')).block(7),
      simulateChain(2, epoch, shape('P')).block(7),
      simulateChain(1, epoch, shape('C')).block(7),
      simulateChain(1, epoch, shape('P')).block(8),
      simulateChain(1, epoch, shape('P')).block(7 + 2 ** 32),
    ].map(({ bytes }) => idOf(bytes));
    expect(new Set(blocks).size).toBe(blocks.length);
    // The bodies differ too, not only the headers.
    const bodies = [7, 8, 7 + 2 ** 32].map((height) =>
      idOf(simulateChain(1, epoch, shape('P')).block(height).bytes.subarray(46)),
    );
    expect(new Set(bodies).size).toBe(bodies.length);
    expect(idOf(simulateChain(1, epoch + 99, shape('P', 3, 1)).block(7).bytes)).toBe(blocks[0]);
  });

  it.each([
    { name: 'P', least: 300, most: 700 },
    { name: 'X', least: 500, most: 1500 },
    { name: 'C', least: 700, most: 4000 },
  ])('has blocks of the size of real ones: $name from $least to $most bytes', ({ name, least, most }) => {
    const chain = simulateChain(1, epoch, shape(name));
    const sizes = Array.from({ length: 200 }, (_, height) => chain.block(height).bytes.length);
    expect(Math.min(...sizes)).toBeGreaterThanOrEqual(least);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(most);
    expect(new Set(sizes).size).toBeGreaterThan(50);
  });

  it('has accepted its history at the epoch and then one block each interval', () => {
    const chain = simulateChain(1, epoch, shape('P', 10, 0.1));
    expect(chain.heightAt(epoch - 100)).toBe(10);
    expect(chain.heightAt(epoch)).toBe(10);
    expect(chain.heightAt(epoch + 0.09)).toBe(10);
    for (let height = 11; height < 500; height += 1) expect(chain.heightAt(chain.acceptedAt(height))).toBe(height);
    expect([0, 1, 10].map(chain.acceptedAt)).toEqual([epoch, epoch, epoch]);
  });

  it('starts blocks and vertices with codec version, type, chain and height', () => {
    const chain = simulateChain(1, epoch, shape('X', 9));
    expect(chain.vertices).toBe(4);
    const id = sha256('X').toString('hex');
    expect(chain.block(258).bytes.toString('hex', 0, 46)).toBe(`0000${'00000020'}${id}${'0000000000000102'}`);
    expect(chain.vertex(3).toString('hex', 0, 46)).toBe(`0000${'00000010'}${id}${'0000000000000003'}`);
  });

  it('does not grow without a block interval', () => {
    const chain = simulateChain(1, epoch, shape('P', 10, 0));
    expect([epoch - 1, epoch, epoch + 1e6].map(chain.heightAt)).toEqual([10, 10, 10]);
  });

  it('has 1 to 3 transactions per block on X, none on C', () => {
    const chain = simulateChain(1, epoch, shape('X'));
    const counts = new Set<number>();
    for (let height = 1; height < 100; height += 1) {
      const { bytes, transactions } = chain.block(height);
      counts.add(transactions.length);
      expect(Buffer.concat(transactions)).toEqual(bytes.subarray(46));
    }
    expect([...counts].sort()).toEqual([1, 2, 3]);
    expect(simulateChain(1, epoch, shape('C')).block(1).transactions).toEqual([]);
  });
});
