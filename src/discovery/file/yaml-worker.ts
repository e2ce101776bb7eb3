// The thread that parses a large YAML file.

import { parentPort, workerData } from 'node:worker_threads';
import { yamlToJson } from './yaml-to-json.ts';

void yamlToJson(String(workerData)).then((result) => parentPort?.postMessage(result));
