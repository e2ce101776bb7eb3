// A check as the scenario bends it: the check itself runs, and then does not end, or says something else.

import { type ActiveFault, faultsOf } from '../scenario.ts';
import type { Check, CheckOutcome } from './worker.ts';

export interface Bending {
  readonly injectFault: (check: Check) => Check;
  /** Lets the checks end that hung for a fault which is over. */
  readonly release: () => void;
}

/** `uptime` in seconds. The faults are looked up at each run. */
export const createInjecting = (faults: () => readonly ActiveFault[], uptime: () => number): Bending => {
  const hung = new Set<{ readonly name: string; readonly end: () => void }>();
  const hangs = (name: string): boolean => faultsOf(faults(), 'check-hangs').some(({ check }) => check === name);
  const untilReleased = (name: string): Promise<void> => new Promise((end) => hung.add({ name, end }));
  return {
    injectFault: (check) => ({
      ...check,
      run: async () => {
        if (hangs(check.name)) await untilReleased(check.name);
        return bent(check.name, await check.run(), faults(), uptime());
      },
    }),
    release: () => {
      for (const waiting of hung) {
        if (hangs(waiting.name)) continue;
        hung.delete(waiting);
        waiting.end();
      }
    },
  };
};

const bent = (name: string, outcome: CheckOutcome, faults: readonly ActiveFault[], now: number): CheckOutcome => {
  const [failing] = faultsOf(faults, 'check-fails').filter(({ check }) => check === name);
  if (failing !== undefined) {
    const { error, message } = failing;
    return { ...outcome, error, ...(message !== undefined && { message }) };
  }
  const flapping = faultsOf(faults, 'check-flaps').find(
    ({ check, since, period }) => check === name && Math.floor((now - since) / period) % 2 === 0,
  );
  if (flapping !== undefined) return { ...outcome, error: flapping.error };
  if (faultsOf(faults, 'check-unencodable').some(({ check }) => check === name))
    return { ...outcome, unencodable: 'json: error calling MarshalJSON for type json.RawMessage: unexpected end of JSON input' };
  return outcome;
};
