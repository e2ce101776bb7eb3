// A week of few targets through sockets: its only argument says how long, how many and where, as JSON.

import { endure } from './endure.ts';
import { socketWorld } from './socket-world.ts';

/** Seconds: a part of the interval, so that nodes come and go on time. Files of the ticks between are as those of a disk that takes so long. */
const stride = 5;

await endure(JSON.parse(process.argv[2] ?? ''), stride, socketWorld);
process.exit();
