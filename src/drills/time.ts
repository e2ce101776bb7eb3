// How late this machine is.

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
