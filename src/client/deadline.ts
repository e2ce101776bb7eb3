// The time that one question has: to wait for its turn, and to be answered.

import { afterParts } from '../pause.ts';

/** How long an answer waits for those of other nodes, at most, and who waits behind it. Its own time does not run meanwhile. */
export const maxCrowdedMs = 5000;

export interface Others {
  /** How many questions to the node have ended in another way than by their deadline. */
  readonly progress: () => number;
  /** Whether an answer of the node waits for those of other nodes: then it is not the node that keeps anybody waiting. */
  readonly isCrowded: () => boolean;
}

/**
 * Who waits behind a node that answers, however slowly, waits on; nobody waits twice for one that hangs. `expire` is told whether the
 * time was spent on the answers of other nodes.
 */
export const startDeadline = (timeoutMs: number, { progress, isCrowded }: Others, expire: (isCrowded: boolean) => void) => {
  const askedAt = performance.now();
  let isSent = false;
  let isResting = false;
  let seen = progress();
  let last: NodeJS.Immediate | undefined;
  const hasProgressed = (): boolean => {
    const isAhead = progress() !== seen;
    seen = progress();
    return isAhead;
  };
  const late = (): void => {
    // One more turn of the event loop: where we were late ourselves, the answer may lie in the socket unread.
    if (isSent) last = setImmediate(expire, false);
    else if (hasProgressed() || (isCrowded() && performance.now() - askedAt < maxCrowdedMs)) timer = setTimeout(late, timeoutMs);
    else expire(false);
  };
  let timer = setTimeout(late, timeoutMs);
  let stopWaiting = (): void => undefined;
  const end = (): void => {
    clearTimeout(timer);
    clearImmediate(last);
    stopWaiting();
  };
  const again = (): void => {
    end();
    timer = setTimeout(late, timeoutMs);
  };
  const waits = (isForOthers: () => boolean): void => {
    end();
    stopWaiting = afterParts(maxCrowdedMs, () => {
      if (isForOthers()) expire(true);
      else waits(isForOthers);
    });
  };
  return {
    /** The question is sent in a later turn of the event loop: that is no time of the node's. */
    rests: (): void => {
      isResting = true;
      end();
    },
    /** The question is sent now: its time begins again if the node answered others meanwhile, so that nobody pays for their answers. */
    sent: (): void => {
      isSent = true;
      if (isResting || hasProgressed()) again();
    },
    /** It waits for other answers; `isCrowded`: for those of other nodes. For its own node's it waits on: each of them has a deadline. */
    waits,
    /** It has waited: its time begins again. */
    resumed: again,
    end,
  };
};
