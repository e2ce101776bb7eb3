// How two reports differ: checks that appeared, vanished, began to fail or recovered, other reasons, and numbers.

import { fieldOf, unmappedFields } from '../metrics/message.ts';
import { type CheckResult, type HealthReport, isChainMessage } from '../protocol/health.ts';
import { reasonOf } from '../protocol/reasons.ts';

export type ReportedState = Readonly<ReturnType<typeof stateOf>>;

/**
 * In the order of the output. `failed-again`: the check fails in both reports, since different times: it passed in between, or the node was
 * restarted. `reworded`: only the error text has changed, not the state.
 */
const kinds = ['failed', 'failed-again', 'reason', 'vanished', 'appeared', 'recovered', 'reworded'] as const;

export interface CheckDifference {
  readonly kind: (typeof kinds)[number];
  readonly check: string;
  readonly before: ReportedState | undefined;
  readonly after: ReportedState | undefined;
}

/** `field`: a path in the message; `listed`: the length of a message that is an array; `contiguousFailures`: from the check itself. */
export type NumberDifference = ReturnType<typeof numbersOf>[number];

type Unit = 'none' | 'seconds';

export type Difference = Readonly<ReturnType<typeof differenceOf>>;

export const differenceOf = (a: HealthReport, b: HealthReport) => {
  const names = [...new Set([...a.checks.keys(), ...b.checks.keys()])].sort();
  const changes = names
    .flatMap((check) => changeOf(check, a.checks.get(check), b.checks.get(check)))
    .sort((one, other) => kinds.indexOf(one.kind) - kinds.indexOf(other.kind));
  return {
    /** Sorted by kind, then by name. */
    changes,
    numbers: names.flatMap((check) => numbersOf(check, a.checks.get(check), b.checks.get(check))),
    /** False if only numbers and error texts differ. */
    differs: a.healthy !== b.healthy || changes.some(({ kind }) => kind !== 'reworded'),
  };
};

const changeOf = (check: string, a: CheckResult | undefined, b: CheckResult | undefined): readonly CheckDifference[] => {
  const kind = kindOf(check, a, b);
  return kind === undefined ? [] : [{ kind, check, before: a && stateOf(check, a), after: b && stateOf(check, b) }];
};

const stateOf = (check: string, result: CheckResult) => {
  const reason = reasonOf(check, result);
  const state: 'failing' | 'passing' = reason === undefined ? 'passing' : 'failing';
  return { state, reason, error: result.error };
};

const kindOf = (check: string, a: CheckResult | undefined, b: CheckResult | undefined): CheckDifference['kind'] | undefined => {
  if (a === undefined) return 'appeared';
  if (b === undefined) return 'vanished';
  const [before, after] = [reasonOf(check, a), reasonOf(check, b)];
  if (before === undefined) return after === undefined ? undefined : 'failed';
  if (after === undefined) return 'recovered';
  const [since, sinceThen] = [a.timeOfFirstFailure, b.timeOfFirstFailure];
  if (since !== undefined && sinceThen !== undefined && since !== sinceThen) return 'failed-again';
  if (before !== after) return 'reason';
  return a.error === b.error ? undefined : 'reworded';
};

const disconnected = 'networking.disconnectedValidators';

const numbersIn = ({ message, contiguousFailures }: CheckResult): ReadonlyMap<string, readonly [number, Unit]> => {
  const found = new Map<string, readonly [number, Unit]>();
  if (contiguousFailures > 0) found.set('contiguousFailures', [contiguousFailures, 'none']);
  // Without the limit for metrics: a field more would drop all others from the comparison.
  for (const { field, kind, value } of unmappedFields(message, new Set(), Number.POSITIVE_INFINITY).fields)
    found.set(field, [value, kind === 'seconds' ? 'seconds' : 'none']);
  if (Array.isArray(message)) found.set('listed', [message.length, 'none']);
  const validators = isChainMessage(message) ? fieldOf(message, disconnected) : undefined;
  if (Array.isArray(validators)) found.set(disconnected, [validators.length, 'none']);
  return found;
};

/** The numbers that differ. Empty if only one of the reports has the check. */
const numbersOf = (check: string, a: CheckResult | undefined, b: CheckResult | undefined) => {
  if (a === undefined || b === undefined) return [];
  const [before, after] = [numbersIn(a), numbersIn(b)];
  return [...new Map([...before, ...after])].flatMap(([field, [, unit]]) => {
    const [was, is] = [before.get(field)?.[0], after.get(field)?.[0]];
    return was === is ? [] : [{ check, field, unit, before: was, after: is }];
  });
};
