// The thread that compares a password. bcrypt is slow by design: in the main thread it would block every scrape.

import { parentPort, workerData } from 'node:worker_threads';
import { compareSync } from 'bcryptjs';

parentPort?.postMessage(compareSync(workerData.password, workerData.hash));
