// A year of many targets: its only argument says how long, how many and where, as JSON.

import { endure } from './endure.ts';
import { memoryWorld } from './memory-world.ts';

await endure(JSON.parse(process.argv[2] ?? ''), undefined, memoryWorld);
