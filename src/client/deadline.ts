// The time that one question has: to wait for its turn, and to be answered.

export interface Deadline {
  /**
   * The question is sent now. Its time begins anew only if the node answered others meanwhile: whoever waited behind a slow
   * node's answers has his whole time, and nobody waits twice for a node that hangs.
   */
  readonly sent: (hasMoved: boolean) => void;
  readonly end: () => void;
}

export const startDeadline = (timeoutMs: number, expire: () => void): Deadline => {
  let isSent = false;
  // One more turn of the event loop: where we were late ourselves, the answer may lie in the socket unread. There is none
  // where nothing was sent.
  const late = (): void => {
    if (isSent) setImmediate(expire);
    else expire();
  };
  let timer = setTimeout(late, timeoutMs);
  return {
    sent: (hasMoved) => {
      isSent = true;
      if (!hasMoved) return;
      clearTimeout(timer);
      timer = setTimeout(late, timeoutMs);
    },
    end: () => clearTimeout(timer),
  };
};
