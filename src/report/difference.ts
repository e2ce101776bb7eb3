// How two reports differ: checks that appeared, vanished, began to fail or recovered, other reasons, and numbers.

import { fieldOf, unmappedFields } from '../metrics/message.ts';
import { type CheckResult, type HealthReport, isChainMessage } from '../protocol/health.ts';
import { type Reason, reasonOf } from '../protocol/reasons.ts';

/** A check as it stands in one of the two. */
export interface Standing {
  readonly state: 'failing' | 'passing';
  readonly reason?: Reason;
  readonly error?: string;
}

export interface CheckDifference {
  /** `failed-again`: fails in both, but not of one failure: it passed in between. `reworded` is no change of state. */
  readonly kind: 'appeared' | 'vanished' | 'failed' | 'recovered' | 'failed-again' | 'reason' | 'reworded';
  readonly check: string;
  readonly before?: Standing;
  readonly after?: Standing;
}

export interface NumberDifference {
  readonly check: string;
  /** Path in the message; `contiguousFailures` and `duration` are the check's own. */
  readonly field: string;
  readonly unit: 'none' | 'seconds';
  readonly before?: number;
  readonly after?: number;
}

export interface Difference {
  readonly healthy: { readonly before: boolean; readonly after: boolean };
  /** By kind, then by name. */
  readonly changes: readonly CheckDifference[];
  readonly numbers: readonly NumberDifference[];
  /** False where nothing but numbers and wordings differ. */
  readonly differs: boolean;
}

const kinds: readonly CheckDifference['kind'][] = [
  'failed',
  'failed-again',
  'reason',
  'vanished',
  'appeared',
  'recovered',
  'reworded',
];

export const differenceOf = (a: HealthReport, b: HealthReport): Difference => {
  const names = [...new Set([...a.checks.keys(), ...b.checks.keys()])].sort();
  const changes = names
    .flatMap((check) => changeOf(check, a.checks.get(check), b.checks.get(check)))
    .sort((one, other) => kinds.indexOf(one.kind) - kinds.indexOf(other.kind));
  return {
    healthy: { before: a.healthy, after: b.healthy },
    changes,
    numbers: names.flatMap((check) => numbersOf(check, a.checks.get(check), b.checks.get(check))),
    differs: a.healthy !== b.healthy || changes.some(({ kind }) => kind !== 'reworded'),
  };
};

const standingOf = (check: string, result: CheckResult): Standing => {
  const reason = reasonOf(check, result);
  return {
    state: reason === undefined ? 'passing' : 'failing',
    ...(reason !== undefined && { reason }),
    ...(result.error !== undefined && { error: result.error }),
  };
};

const changeOf = (check: string, a: CheckResult | undefined, b: CheckResult | undefined): readonly CheckDifference[] => {
  const before = a === undefined ? undefined : standingOf(check, a);
  const after = b === undefined ? undefined : standingOf(check, b);
  if (before === undefined || after === undefined) {
    if (after !== undefined) return [{ kind: 'appeared', check, after }];
    return before === undefined ? [] : [{ kind: 'vanished', check, before }];
  }
  const kind = kindOf({ ...before, since: a?.timeOfFirstFailure }, { ...after, since: b?.timeOfFirstFailure });
  return kind === undefined ? [] : [{ kind, check, before, after }];
};

type Since = Standing & { readonly since: number | undefined };

const kindOf = (before: Since, after: Since): CheckDifference['kind'] | undefined => {
  if (before.state !== after.state) return after.state === 'failing' ? 'failed' : 'recovered';
  if (after.state === 'passing') return undefined;
  if (before.since !== undefined && after.since !== undefined && before.since !== after.since) return 'failed-again';
  if (before.reason !== after.reason) return 'reason';
  return before.error === after.error ? undefined : 'reworded';
};

type Numbers = ReadonlyMap<string, { readonly value: number; readonly unit: NumberDifference['unit'] }>;

const disconnected = 'networking.disconnectedValidators';

const numbersIn = (result: CheckResult | undefined): Numbers => {
  const found = new Map<string, { readonly value: number; readonly unit: NumberDifference['unit'] }>();
  if (result === undefined) return found;
  const { message, contiguousFailures } = result;
  if (contiguousFailures > 0) found.set('contiguousFailures', { value: contiguousFailures, unit: 'none' });
  for (const { field, kind, value } of unmappedFields(message, new Set()).fields)
    found.set(field, { value, unit: kind === 'seconds' ? 'seconds' : 'none' });
  if (Array.isArray(message)) found.set('listed', { value: message.length, unit: 'none' });
  const validators = isChainMessage(message) ? fieldOf(message, disconnected) : undefined;
  if (Array.isArray(validators)) found.set(disconnected, { value: validators.length, unit: 'none' });
  return found;
};

/** Of checks that are in both. */
const numbersOf = (check: string, a: CheckResult | undefined, b: CheckResult | undefined): readonly NumberDifference[] => {
  if (a === undefined || b === undefined) return [];
  const [before, after] = [numbersIn(a), numbersIn(b)];
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((field) => {
    const [was, is] = [before.get(field), after.get(field)];
    if (was?.value === is?.value) return [];
    return [
      {
        check,
        field,
        unit: (is ?? was)?.unit ?? 'none',
        ...(was !== undefined && { before: was.value }),
        ...(is !== undefined && { after: is.value }),
      },
    ];
  });
};
