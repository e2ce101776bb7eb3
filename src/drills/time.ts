// Measures the scheduling delay of this machine.

const tickSeconds = 0.05;
/** Every timer is a few milliseconds late. */
const toleratedSeconds = 0.02;

export type Watchdog = ReturnType<typeof startWatchdog>;

/** `delaySeconds`: total time so far by which timers were late. Everything else in this process was delayed as much. */
export const startWatchdog = (now: () => number) => {
  let last = now();
  let delay = 0;
  const timer = setInterval(() => {
    const at = now();
    const late = at - last - tickSeconds;
    if (late > toleratedSeconds) delay += late;
    last = at;
  }, tickSeconds * 1000);
  return { delaySeconds: () => delay, stop: () => clearInterval(timer) };
};
