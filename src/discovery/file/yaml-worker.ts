// The thread that reads a large file of YAML.

import { parentPort, workerData } from 'node:worker_threads';
import { yamlToJson } from './yaml-to-json.ts';

void yamlToJson(String(workerData)).then((made) => parentPort?.postMessage(made));
