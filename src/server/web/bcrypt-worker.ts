// The thread that compares passwords. bcrypt is slow by design: in the main thread it would block every scrape.

import { parentPort } from 'node:worker_threads';
import { compareSync } from 'bcryptjs';

interface Asked {
  readonly id: number;
  readonly password: string;
  readonly hash: string;
}

parentPort?.on('message', ({ id, password, hash }: Asked) => {
  parentPort?.postMessage({ id, matches: compareSync(password, hash) });
});
