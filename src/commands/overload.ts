// The watchdog of a server: measures this process, and provides levels of overload for requests, metrics and probes.

import { isDeepStrictEqual } from 'node:util';
import type { OverloadTally } from '../metrics/overload-families.ts';
import { createShed } from '../server/shed.ts';
import { startReadings } from '../watchdog/readings.ts';
import { createWatchdog } from '../watchdog/watchdog.ts';
import type { CommandContext } from './context.ts';

export const watchOverload = (
  { now, log, signal }: Pick<CommandContext, 'now' | 'log' | 'signal'>,
  read = startReadings(now, signal),
) => {
  const watchdog = createWatchdog(read, log, now());
  const { shed, counts, total } = createShed(watchdog.current);
  let last: OverloadTally | undefined;
  return {
    tick: (): void => watchdog.tick(now(), total()),
    /** A new object with each change. */
    tally: (): OverloadTally => {
      const { resources, reading } = watchdog.current();
      const overloaded = { event_loop: resources.event_loop.level > 0, heap: resources.heap.level > 0 };
      const tally = { overloaded, shed: counts(), heapLimit: reading.heapLimit, heapLive: reading.live?.bytes };
      if (!isDeepStrictEqual(last, tally)) last = tally;
      return last ?? tally;
    },
    inputs: { watched: watchdog.current, shed },
  };
};
