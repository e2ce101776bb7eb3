// What is true of an index beyond its head, at an instant.

import type { IndexFaultKind } from './fault.ts';
import type { IndexWatch } from './watch.ts';

export interface CurrentWatch {
  readonly drift?: bigint;
  readonly agrees?: boolean;
  /** Index of the last verified container. */
  readonly verified?: bigint;
  /** Found since the exporter's start: never too old. */
  readonly faultCounts: Readonly<Record<IndexFaultKind, number>>;
}

export const currentWatch = (watch: IndexWatch, now: number, maxAge: number): CurrentWatch => {
  const isCurrent = ({ at }: { readonly at: number }): boolean => now - at <= maxAge;
  const { compared } = watch.chain;
  const { tail } = watch.following;
  const drift = compared !== undefined && isCurrent(compared) ? compared.drift : undefined;
  const agrees = compared !== undefined && isCurrent(compared) ? compared.agrees : undefined;
  const isEmpty = tail?.number === -1n;
  const verified = tail !== undefined && !isEmpty && isCurrent(tail) ? tail.number : undefined;
  return {
    ...(drift !== undefined && { drift }),
    ...(agrees !== undefined && !isEmpty && { agrees }),
    ...(verified !== undefined && { verified }),
    faultCounts: watch.faultCounts,
  };
};
