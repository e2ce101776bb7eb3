// The time that one question has: to wait for its turn, and to be answered.

/**
 * `progress`: how many questions have ended in another way than by their deadline. Who waits behind a node that answers, however slowly,
 * waits on; nobody waits twice for one that hangs.
 */
export const startDeadline = (timeoutMs: number, progress: () => number, expire: () => void) => {
  let isSent = false;
  let seen = progress();
  const hasProgressed = (): boolean => {
    const isAhead = progress() !== seen;
    seen = progress();
    return isAhead;
  };
  const late = (): void => {
    // One more turn of the event loop: where we were late ourselves, the answer may lie in the socket unread.
    if (isSent) setImmediate(expire);
    else if (hasProgressed()) timer = setTimeout(late, timeoutMs);
    else expire();
  };
  let timer = setTimeout(late, timeoutMs);
  return {
    /** The question is sent now: its time begins again if the node answered others meanwhile, so that nobody pays for their answers. */
    sent: (): void => {
      isSent = true;
      if (!hasProgressed()) return;
      clearTimeout(timer);
      timer = setTimeout(late, timeoutMs);
    },
    /** It waited for the answers of other nodes: its time begins again. */
    resumed: (): void => {
      clearTimeout(timer);
      timer = setTimeout(late, timeoutMs);
    },
    end: (): void => clearTimeout(timer),
  };
};
