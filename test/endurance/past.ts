// What an earlier run has left: as many events as the files may hold, so that memory holds from the start what it holds in the end.

import { openEventHistory } from '../../src/events/open.ts';
import type { Draft } from '../../src/events/record.ts';
import { silentLog } from '../../src/log.ts';
import { yieldToEventLoop } from '../../src/pause.ts';

/** Some 400 bytes each, 18 MB in all. */
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
