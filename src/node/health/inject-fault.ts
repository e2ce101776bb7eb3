// Applies the scenario's faults to a check: it hangs, or reports something else.

import { type ActiveFault, faultsOf } from '../scenario.ts';
import type { CheckOutcome, HealthCheck } from './worker.ts';

/** `uptime` in seconds. Faults are evaluated at each run; `release` ends the checks that hang for a fault which is over. */
export const createCheckFaults = (faults: () => readonly ActiveFault[], uptime: () => number) => {
  const hung = new Map<() => void, string>();
  const hangs = (name: string): boolean => faultsOf(faults(), 'check-hangs').some(({ check }) => check === name);
  return {
    injectFault: (check: HealthCheck): HealthCheck => ({
      ...check,
      run: async () => {
        if (hangs(check.name)) await new Promise<void>((end) => hung.set(end, check.name));
        return withFault(check.name, await check.run(), faults(), uptime());
      },
    }),
    release: (): void => {
      for (const [end, name] of hung) {
        if (hangs(name)) continue;
        hung.delete(end);
        end();
      }
    },
  };
};

const withFault = (name: string, outcome: CheckOutcome, faults: readonly ActiveFault[], now: number): CheckOutcome => {
  const failing = faultsOf(faults, 'check-fails').find(({ check }) => check === name);
  if (failing !== undefined) {
    const { error, message = outcome.message } = failing;
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
