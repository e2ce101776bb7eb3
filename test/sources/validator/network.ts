// A voting network: each validator measures on its own when a node is down; at the end of a staking period their stake decides.
// It uses no code of the exporter; its answers are those of a node, rounded as a node rounds.

import fc from 'fast-check';

export interface Viewer {
  readonly stake: number;
  readonly isConnected: boolean;
  /** When it saw the node down, in seconds since the start of the period: disjoint and in order. */
  readonly outages: readonly (readonly [from: number, to: number])[];
}

/** The first viewer is the node itself, which never sees itself down. */
export interface Network {
  readonly viewers: readonly Viewer[];
  readonly start: number;
  readonly length: number;
  readonly helicon: number | undefined;
}

const total = (all: readonly number[]): number => all.reduce((sum, one) => sum + one, 0);

export const requiredIn = ({ start, helicon }: Network): number => (start >= (helicon ?? Number.POSITIVE_INFINITY) ? 90 : 80);

/** Seconds for which a viewer saw the node up so far. */
export const seenUp = ({ outages }: Viewer, elapsed: number): number =>
  elapsed - total(outages.map(([from, to]) => Math.max(0, Math.min(to, elapsed) - Math.min(from, elapsed))));

/** Share of the stake that will pay if the node is never down again. */
export const bestVote = (network: Network, elapsed: number): number => {
  const { viewers, length } = network;
  // In hundredths of a second, to avoid rounding.
  const pays = (one: Viewer): boolean => 100 * (seenUp(one, elapsed) + length - elapsed) >= requiredIn(network) * length;
  return total(viewers.filter(pays).map(({ stake }) => stake)) / total(viewers.map(({ stake }) => stake));
};

/** Exact mean over the connected stake. */
export const trueMean = ({ viewers }: Network, elapsed: number): number => {
  const connected = viewers.filter(({ isConnected }) => isConnected);
  return total(connected.map((one) => (one.stake * seenUp(one, elapsed)) / elapsed)) / total(connected.map(({ stake }) => stake));
};

export const whole = (one: Viewer, elapsed: number): number => Math.floor((100 * seenUp(one, elapsed)) / elapsed);

/** The fields of `info.uptime`, `info.peers` and check P. */
export const answersOf = (network: Network, elapsed: number) => {
  const all = total(network.viewers.map(({ stake }) => stake));
  const connected = network.viewers.filter(({ isConnected }) => isConnected);
  const said = connected.map((one) => ({ ...one, percent: whole(one, elapsed) }));
  const rewarding = total(said.filter(({ percent }) => percent >= requiredIn(network)).map(({ stake }) => stake));
  const weighted = total(said.map(({ percent, stake }) => percent * stake));
  return {
    rewardingStakePercentage: ((100 * rewarding) / all).toFixed(4),
    weightedAveragePercentage: (weighted / all).toFixed(4),
    percentConnected: total(connected.map(({ stake }) => stake)) / all,
    observedUptime: said.slice(1).map(({ percent }) => String(percent)),
  };
};

const day = 86_400;

const outagesIn = (length: number) =>
  fc.array(fc.tuple(fc.integer({ min: 0, max: length }), fc.integer({ min: 1, max: length })), { maxLength: 4 }).map((drawn) => {
    const found: (readonly [number, number])[] = [];
    for (const [from, long] of drawn.toSorted(([a], [b]) => a - b)) {
      const begin = Math.max(from, found.at(-1)?.[1] ?? 0);
      if (begin < length) found.push([begin, Math.min(length, begin + Math.ceil(long / 3))]);
    }
    return found;
  });

/** Most viewers share one set of outages, a few have their own; many are near the requirement. */
const viewersOf = (length: number): fc.Arbitrary<readonly Viewer[]> =>
  fc
    .record({
      common: outagesIn(length),
      rest: fc.array(
        fc.record({
          stake: fc.integer({ min: 1, max: 1000 }),
          isConnected: fc.integer({ min: 0, max: 9 }).map((one) => one > 0),
          own: fc.option(outagesIn(length), { freq: 2, nil: undefined }),
        }),
        { minLength: 1, maxLength: 12 },
      ),
      stake: fc.integer({ min: 1, max: 100 }),
    })
    .map(({ common, rest, stake }) => [
      { stake, isConnected: true, outages: [] },
      ...rest.map(({ own, ...one }) => ({ ...one, outages: own ?? common })),
    ]);

export const networks: fc.Arbitrary<Network> = fc
  .record({
    length: fc.integer({ min: 14 * day, max: 365 * day }),
    start: fc.integer({ min: 1_790_000_000, max: 1_800_000_000 }),
    // Before the period, within it, after it, or never.
    helicon: fc.option(fc.integer({ min: 1_780_000_000, max: 1_840_000_000 }), { freq: 4, nil: undefined }),
  })
  .chain(({ length, ...rest }) => viewersOf(length).map((viewers) => ({ ...rest, length, viewers })));
