// Preloaded into a measured process: on request, reports the CPU milliseconds of the longest turn of its event loop since the last
// request, without other load of the machine. Linux only.

import { openSync, readSync } from 'node:fs';

const [file, text] = [openSync('/proc/thread-self/schedstat', 'r'), Buffer.alloc(64)];
const cpuMs = () => Number(text.toString('latin1', 0, readSync(file, text, 0, 64, 0)).split(' ', 1)[0]) / 1e6;

let [before, longest] = [cpuMs(), 0];
setInterval(() => {
  const now = cpuMs();
  longest = Math.max(longest, now - before);
  before = now;
}, 5);
process.on('message', () => {
  process.send?.(longest);
  longest = 0;
});
