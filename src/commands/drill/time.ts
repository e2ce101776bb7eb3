// Waiting, and how late this machine is while it waits.

/** Resolves when so many seconds have passed, or the process is asked to stop. */
export const pause = (seconds: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const over = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', over);
      resolve();
    };
    const timer = setTimeout(over, Math.max(0, seconds) * 1000);
    signal.addEventListener('abort', over);
  });

const tickSeconds = 0.05;

/** Whatever runs in this process is as late as its timers are: what they say is not held against the exporter. */
export const startWatchdog = (now: () => number): { readonly worst: () => number; readonly stop: () => void } => {
  let last = now();
  let worst = 0;
  const timer = setInterval(() => {
    const at = now();
    worst = Math.max(worst, at - last - tickSeconds);
    last = at;
  }, tickSeconds * 1000);
  return { worst: () => worst, stop: () => clearInterval(timer) };
};
