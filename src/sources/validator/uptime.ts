// What an uptime means for a staking period: how long the node may still be down, and its highest possible uptime at the end.
//
// With the uptime u so far, the elapsed time e, the length L of the period and the required uptime r, the node may be down for
// (1 − r)·L − (1 − u)·e more, and its uptime at the end is at most (u·e + L − e) / L.

/** Seconds since the Unix epoch, by the clock of the P-Chain. */
export interface Period {
  readonly start: number;
  readonly end: number;
}

/** Required uptime as a ratio, for periods that begin before Helicon and for those that begin with it or after (ACP-267). */
const [beforeHelicon, sinceHelicon] = [0.8, 0.9];

/** `helicon`: seconds since the Unix epoch; undefined if it is not scheduled. */
export const requirementOf = ({ start }: Period, helicon: number | undefined): number =>
  helicon !== undefined && start >= helicon ? sinceHelicon : beforeHelicon;

export interface Outlook {
  readonly lengthSeconds: number;
  readonly elapsedSeconds: number;
  readonly remainingSeconds: number;
  /** How long the node may still be down. Negative if the requirement is out of reach. */
  readonly budgetSeconds: number;
  /** Uptime at the end if the node is never down again. */
  readonly bestPossible: number;
}

/** `uptime`: so far, as a ratio. `now`: seconds since the Unix epoch; before the period nothing has elapsed, after it all has. */
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

/** Uptime so far below which a validator can no longer observe the required uptime. Negative while every validator still can. */
export const lowestHopeful = ({ lengthSeconds, elapsedSeconds }: Outlook, requirement: number): number =>
  elapsedSeconds === 0 ? Number.NEGATIVE_INFINITY : 1 - ((1 - requirement) * lengthSeconds) / elapsedSeconds;
