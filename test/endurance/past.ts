// Writes the event history of an earlier run, as large as the files may be, so that memory has its final size from the start.

import { openEventHistory } from '../../src/events/open.ts';
import type { Draft } from '../../src/events/record.ts';
import { silentLog } from '../../src/log.ts';
import { yieldToEventLoop } from '../../src/pause.ts';

/** About 400 bytes each, 18 MB in total. */
const records = 45_000;
const inOneTurn = 500;

export const writePast = async (stateDir: string, names: readonly string[], now: number): Promise<void> => {
  const history = await openEventHistory(
    { stateDir, run: 'past', share: Number.POSITIVE_INFINITY },
    { now: () => now - records, log: silentLog },
  );
  const draft = (nth: number): Draft => ({
    kind: 'check',
    at: now - records + nth,
    target: names[nth % names.length] ?? '',
    tagSets: ['all'],
    check: 'diskspace',
    from: nth % 2 === 0 ? 'passing' : 'failing',
    to: nth % 2 === 0 ? 'failing' : 'passing',
    error: `diskspace failed in its run of ${nth}: ${'remaining available disk space is below the threshold '.repeat(2)}`,
    contiguousFailures: 1,
    lastRunAt: now - records + nth,
    durationSeconds: 0.000_146,
  });
  for (let from = 0; from < records; from += inOneTurn) {
    history.add(Array.from({ length: inOneTurn }, (_, at) => draft(from + at)));
    while ((history.tally()?.written ?? 0) < from + inOneTurn) await yieldToEventLoop();
  }
  await history.close();
};
