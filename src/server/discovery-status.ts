// Where the targets come from: each source of discovery, how many targets it has, and what keeps others from being watched.

import type { Status } from '../conditions/condition.ts';
import { isoOf, shortened } from '../text.ts';

/** Of one source, as its entry in the configuration is called: file/0. */
export interface DiscoveryState {
  readonly source: string;
  /** Undefined before its first list. */
  readonly successful: boolean | undefined;
  /** Steady clock. */
  readonly succeededAt?: number;
  /** Why the last refresh failed; one line, without a secret. */
  readonly failure?: string;
  readonly targets: number;
  /** Of which targets it has found and does not watch, by reason; each has at least one. */
  readonly unwatched: readonly UnwatchedTargets[];
}

interface UnwatchedTargets {
  /** refused, pending, invalid, duplicate, limit */
  readonly reason: string;
  readonly targets: number;
  /** What it means, and what to do. */
  readonly message: string;
  /** Some of them: a name, or a name with what is wrong. */
  readonly examples: readonly string[];
}

export interface DiscoveryStatus extends Pick<DiscoveryState, 'source' | 'targets' | 'unwatched'> {
  /** Of the last refresh. */
  readonly status: Status;
  readonly message?: string;
  readonly lastSuccessTime?: string;
}

export const discoveryStatus = (
  { source, successful, succeededAt, failure, targets, unwatched }: DiscoveryState,
  wallOffset: number,
): DiscoveryStatus => ({
  source,
  status: successful === undefined ? 'Unknown' : successful ? 'True' : 'False',
  ...(failure !== undefined && { message: shortened(failure, 300) }),
  ...(succeededAt !== undefined && { lastSuccessTime: isoOf(succeededAt + wallOffset) }),
  targets,
  unwatched,
});

export const isTroubled = ({ status, unwatched }: DiscoveryStatus): boolean => status === 'False' || unwatched.length > 0;
