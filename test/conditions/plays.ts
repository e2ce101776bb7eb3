// What happens in situations that are more than lasting faults.

import type { Drill } from '../support/drill.ts';
import { until } from '../support/until.ts';

/** Seconds between two health check runs. */
export const checkInterval = 30;

export const closed = [{ fault: 'check-fails' as const, check: 'database', error: 'closed' }];

/** Repeated recoveries between two polls, so that no poll sees those runs of the node. */
export const flapUnseen = async (drill: Drill, times: number): Promise<void> => {
  for (let time = 0; time < times; time += 1) {
    await drill.setFaults([]);
    await drill.runNodeAlone(checkInterval);
    await drill.setFaults(closed);
    await drill.runNodeAlone(checkInterval);
    await drill.run(checkInterval);
  }
};

/** The disk check runs in real time, not in simulated time. */
export const diskHasBeenAsked = async ({ node }: Drill): Promise<void> => {
  const asked = /"diskspace":\{[^{}]*(?:\{[^{}]*\})?[^{}]*"timestamp":"2/;
  const report = async (): Promise<string> => (await fetch(`${node.url}/ext/health`)).text();
  await until('the disk has been asked', async () => asked.test(await report()), { everyMs: 50 });
};
