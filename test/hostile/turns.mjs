// Loaded into a process that is watched: says, when it is asked, how many milliseconds of CPU the longest turn of its event loop took
// since it was last asked. What else the machine does is no part of it. Linux only.

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
