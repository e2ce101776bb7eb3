// How much time this machine steals.

const tickSeconds = 0.05;
/** Every timer is late by some milliseconds. */
const toleratedSeconds = 0.02;

export type Watchdog = ReturnType<typeof startWatchdog>;

/** `stolen`: seconds so far that timers were late by, all together: everything in this process was as late. */
export const startWatchdog = (now: () => number) => {
  let last = now();
  let stolen = 0;
  const timer = setInterval(() => {
    const at = now();
    const late = at - last - tickSeconds;
    if (late > toleratedSeconds) stolen += late;
    last = at;
  }, tickSeconds * 1000);
  return { stolen: () => stolen, stop: () => clearInterval(timer) };
};
