// Loaded before the program of a process that is measured: says over IPC, when asked, how much CPU the longest turn of its event loop
// took since the last time. CPU of the thread and not time on the wall: what else the machine does is no work of the process. Linux only.
const { openSync, readSync } = require('node:fs');

const resolutionMs = 5;
const schedstat = openSync('/proc/thread-self/schedstat', 'r');
const buffer = Buffer.alloc(64);
const cpuMs = () => Number(buffer.toString('latin1', 0, readSync(schedstat, buffer, 0, 64, 0)).split(' ', 1)[0]) / 1e6;

let before = cpuMs();
let longest = 0;
// A timer that is due runs once a turn: between two of its runs lies a turn, and what else came in the 5 ms before.
setInterval(() => {
  const now = cpuMs();
  longest = Math.max(longest, now - before);
  before = now;
}, resolutionMs).unref();
process.on('message', () => {
  process.send?.({ turnMs: longest });
  longest = 0;
});
process.channel?.unref();
// Nothing that is measured outlives a bench that failed or was ended, and costs the next one its processors.
process.on('disconnect', () => process.exit());
