// A week of few targets through sockets: its only argument says how long, how many and where, as JSON.

import { endure } from './endure.ts';
import { socketWorld } from './socket-world.ts';

await endure(JSON.parse(process.argv[2] ?? ''), true, socketWorld);
process.exit();
