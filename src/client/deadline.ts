// The timeout of one request: for its wait for a connection, and then for its response.

import { afterParts } from '../pause.ts';

/** Milliseconds that a response, and requests queued behind it, wait at most for those of other nodes. Its timeout is stopped meanwhile. */
export const maxCrowdedMs = 5000;

export interface Others {
  /** The number of requests to the node that ended without a timeout. */
  readonly progress: () => number;
  /** Whether a response of the node waits for those of other nodes: then the node is not the cause of the delay. */
  readonly isCrowded: () => boolean;
}

/**
 * A queued request keeps waiting while the node responds to others, however slowly; behind a node that hangs, it waits for one timeout
 * only. `expire` is called with true if the time was spent on a wait for responses of other nodes.
 */
export const startDeadline = (timeoutMs: number, { progress, isCrowded }: Others, expire: (isCrowded: boolean) => void) => {
  const createdAt = performance.now();
  let isSent = false;
  let isDeferred = false;
  let lastProgress = progress();
  let grace: NodeJS.Immediate | undefined;
  const hasProgressed = (): boolean => {
    const isNew = progress() !== lastProgress;
    lastProgress = progress();
    return isNew;
  };
  /**
   * A sent request waits for two more iterations of the event loop: if the exporter itself was late, the response may be unread in the socket.
   * A queued one waits for one, in which such responses count as progress. So it expires before it would get the connection of a sent one.
   */
  const elapsed = (): void => {
    const late = (): void => {
      if (isSent) grace = setImmediate(expire, false);
      else if (hasProgressed() || (isCrowded() && performance.now() - createdAt < maxCrowdedMs))
        timer = setTimeout(elapsed, timeoutMs);
      else expire(false);
    };
    grace = setImmediate(late);
  };
  let timer = setTimeout(elapsed, timeoutMs);
  let stopWaiting = (): void => undefined;
  const end = (): void => {
    clearTimeout(timer);
    clearImmediate(grace);
    stopWaiting();
  };
  const restart = (): void => {
    end();
    timer = setTimeout(elapsed, timeoutMs);
  };
  const waits = (isForOthers: () => boolean): void => {
    end();
    stopWaiting = afterParts(maxCrowdedMs, () => {
      if (isForOthers()) expire(true);
      else waits(isForOthers);
    });
  };
  return {
    /** The request is sent in a later iteration of the event loop. The node is not charged for that time. */
    deferred: (): void => {
      isDeferred = true;
      end();
    },
    /** The request is sent now. The timeout restarts if the request was deferred, or if the node responded to others while it waited. */
    sent: (): void => {
      isSent = true;
      if (isDeferred || hasProgressed()) restart();
    },
    /** The response waits for others. If they are all of its own node (`isForOthers` false), there is no limit: each has a timeout itself. */
    waits,
    /** The wait is over: the timeout restarts. */
    resumed: restart,
    end,
  };
};
