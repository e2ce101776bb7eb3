// The thread that reads a large file of YAML.

import { parentPort, workerData } from 'node:worker_threads';
import { jsonOf } from './json-of.ts';

void jsonOf(String(workerData)).then((made) => parentPort?.postMessage(made));
