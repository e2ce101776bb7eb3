// What an uptime means for a staking period: how long the node may still be down, and what its uptime may be at the end.
//
// With uptime u over the elapsed time e of a period of length L, and requirement r:
//   budget (1 − r)·L − (1 − u)·e, and the highest final uptime (u·e + L − e) / L.

/** Seconds since the Unix epoch, by the clock of the P-Chain. */
export interface Period {
  readonly start: number;
  readonly end: number;
}

/** Uptime that pays, as a ratio, for periods that begin before Helicon and for those that begin with it or after (ACP-267). */
const [beforeHelicon, sinceHelicon] = [0.8, 0.9];

/** `helicon`: absent where it is not scheduled. */
export const requirementOf = ({ start }: Period, helicon: number | undefined): number =>
  helicon !== undefined && start >= helicon ? sinceHelicon : beforeHelicon;

export interface Outlook {
  readonly lengthSeconds: number;
  readonly elapsedSeconds: number;
  readonly remainingSeconds: number;
  /** How long the node may still be down; negative where the requirement is out of reach. */
  readonly budgetSeconds: number;
  /** Uptime at the end if the node is never down again. */
  readonly bestPossible: number;
}

/** `uptime`: so far, as a ratio. Before the period begins nothing has elapsed, and after its end all of it. */
export const outlook = (uptime: number, { start, end }: Period, now: number, requirement: number): Outlook => {
  const lengthSeconds = Math.max(1, end - start);
  const elapsedSeconds = Math.min(Math.max(0, now - start), lengthSeconds);
  const remainingSeconds = lengthSeconds - elapsedSeconds;
  return {
    lengthSeconds,
    elapsedSeconds,
    remainingSeconds,
    budgetSeconds: (1 - requirement) * lengthSeconds - (1 - uptime) * elapsedSeconds,
    bestPossible: (uptime * elapsedSeconds + remainingSeconds) / lengthSeconds,
  };
};

/** The uptime so far below which whoever saw it cannot see the requirement kept any more. Below 0 nobody is so far yet. */
export const lowestHopeful = ({ lengthSeconds, elapsedSeconds }: Outlook, requirement: number): number =>
  elapsedSeconds === 0 ? Number.NEGATIVE_INFINITY : 1 - ((1 - requirement) * lengthSeconds) / elapsedSeconds;
