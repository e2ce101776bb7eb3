// npm run dev: the demo, rebuilt and restarted whenever a file in src changes.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { watch } from 'node:fs';
import { join } from 'node:path';
import { bundle, ensureInstalled, passSignals, root } from './lib.mjs';

await ensureInstalled();
const { build } = await import('./build.mjs');

const start = () => {
  const child = spawn(process.execPath, [bundle, 'demo', ...process.argv.slice(2)], { stdio: 'inherit' });
  return { child, stopPassing: passSignals(child) };
};

/** @type {ReturnType<typeof start> | undefined} */
let running;

const restart = async () => {
  try {
    await build();
  } catch {
    return; // esbuild has printed the error; the running demo continues
  }
  if (running) {
    running.stopPassing();
    if (running.child.exitCode === null && running.child.kill('SIGTERM')) await once(running.child, 'exit');
  }
  running = start();
};

/** @type {Promise<void>} */
let queue = restart();
/** @type {NodeJS.Timeout | undefined} */
let settling;

const watcher = watch(join(root, 'src'), { recursive: true }, () => {
  clearTimeout(settling); // editors write more than once
  settling = setTimeout(() => {
    queue = queue.then(restart);
  }, 100);
});

for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => watcher.close());
