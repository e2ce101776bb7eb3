// Writes event history as fast as possible until it is killed, and prints after each batch how many of its records are synced to
// disk. Arguments: the state dir and the name of the run.

import { setImmediate as turn } from 'node:timers/promises';
import { openEventHistory } from '../../src/events/open.ts';
import type { Draft } from '../../src/events/record.ts';
import { silentLog } from '../../src/log.ts';

const [, , stateDir = '', run = ''] = process.argv;
const eventHistory = await openEventHistory(
  { stateDir, run, share: Number.POSITIVE_INFINITY },
  { now: () => Date.now() / 1000, log: silentLog },
);

/** Small batches, and one that is too large for a single write call. */
const batches = [1, 3, 40, 1, 900];
const error = 'x'.repeat(1000);

const recordOf = (number: number): Draft => ({
  kind: 'check',
  at: Date.now() / 1000,
  target: 'node',
  check: 'database',
  contiguousFailures: number,
  error,
});

let added = 0;
for (let batch = 0; ; batch += 1) {
  const size = batches[batch % batches.length] ?? 1;
  const from = added;
  eventHistory.add(Array.from({ length: size }, (_, at) => recordOf(from + at + 1)));
  added += size;
  while (eventHistory.tally()?.written !== added) await turn();
  process.stdout.write(`${added}\n`);
}
