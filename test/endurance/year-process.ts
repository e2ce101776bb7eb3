// A year of many targets in memory. The argument is the `Length` as JSON.

import { endure } from './endure.ts';
import { memoryWorld } from './memory-world.ts';

await endure(JSON.parse(process.argv[2] ?? ''), undefined, memoryWorld);
