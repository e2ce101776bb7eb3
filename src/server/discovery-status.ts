// Status of the sources of discovery: number of targets, and why others are not watched.

import type { Status } from '../conditions/condition.ts';
import { isoOf, shortened } from '../text.ts';

/** The state of one source of discovery. `source`: named like its entry in the configuration, such as file/0. */
export interface DiscoveryState {
  readonly source: string;
  /** Undefined before its first list. */
  readonly successful: boolean | undefined;
  /** Seconds, steady clock. */
  readonly succeededAt?: number;
  /** Why the last refresh failed; one line, without secrets. */
  readonly failure?: string;
  readonly targets: number;
  /** Discovered targets that are not watched, by reason; only reasons with targets. */
  readonly unwatched: readonly UnwatchedTargets[];
}

interface UnwatchedTargets {
  /** One of refused, pending, invalid, duplicate and limit. */
  readonly reason: string;
  readonly targets: number;
  /** Explanation and remedy. */
  readonly message: string;
  /** Some of the targets: a name, or a name with its problem. */
  readonly examples: readonly string[];
}

export interface DiscoveryStatus extends Pick<DiscoveryState, 'source' | 'targets' | 'unwatched'> {
  /** Whether the last refresh was successful. */
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
