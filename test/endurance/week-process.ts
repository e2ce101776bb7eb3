// A week of few targets over sockets. The argument is the `Length` as JSON.

import { endure } from './endure.ts';
import { socketWorld } from './socket-world.ts';

/** Seconds; a fraction of the interval, so that nodes go down and up on time. Writes of the ticks in between look like those of a slow disk. */
const stride = 5;

await endure(JSON.parse(process.argv[2] ?? ''), stride, socketWorld);
process.exit();
