// The interface of all sources: a source delivers its complete list whenever it changes.

import type { LookupFunction } from 'node:net';
import type { Budget } from '../client/budget.ts';
import type { PartFault } from '../failure-log.ts';
import type { Cluster } from '../kubernetes/exchange.ts';
import type { Log } from '../log.ts';
import { doublingWait, type oneAtATime } from '../pause.ts';
import type { DiscoveredTarget } from './found.ts';
import type { PodBudget } from './kubernetes/pod-budget.ts';

/** Maximum number of targets of all sources together: far more than can be watched. */
export const maxFound = 20_000;

export const tooManyTargets = (count: number): string =>
  `${count} targets are more than ${maxFound}: shorten the list, or name fewer namespaces or files`;

export const tooManyOfAll = (count: number): string =>
  `all sources together would find ${count} targets, more than ${maxFound}: shorten a list, or name fewer namespaces or files`;

/** Maximum size in bytes of the texts that all lists are read from. Their labels need several times as much memory. */
export const maxBytesOfAll = 8 * 1024 * 1024;

export const tooLargeOfAll = (bytes: number): string =>
  `all lists together would hold ${bytes} bytes, more than ${maxBytesOfAll}: leave out labels, or shorten a list`;

/** Name of the limit `maxBytesOfAll` in `limitFault`. */
export const bytesOfAll = 'bytes of all';

/** Logged at once, because the next try would not help, and once per limit, although the number in the reason may change. */
export const limitFault = (limit: string, reason: string): PartFault => ({
  reason,
  cause: `limit: ${limit}`,
  isRepeated: true,
});

/** At most ten reasons, in one line. */
export const shownReasons = (reasons: Iterable<string>): string => [...new Set(reasons)].slice(0, 10).join('; ');

/** A failed source keeps its last list. `bytes`: size of the texts that the list was read from. */
export type SourceUpdate =
  | { readonly kind: 'ok'; readonly found: readonly DiscoveredTarget[]; readonly bytes?: number }
  /**
   * `reason`: one line, without secrets, which may omit some parts. `faults`: of all parts that fail, for the log. `found`: the list, if some
   * of its parts could be read.
   */
  | {
      readonly kind: 'failed';
      readonly reason: string;
      readonly faults: readonly PartFault[];
      readonly found?: readonly DiscoveredTarget[];
      readonly bytes?: number;
    };

export interface SourceContext {
  /** The list from before a reload that changed the settings. If a part of the source fails, its targets are taken from this list. */
  readonly inherited?: readonly DiscoveredTarget[];
  /** Returns false if all lists together would be too large: then the previous list is kept. */
  readonly update: (update: SourceUpdate) => boolean;
  /**
   * Returns an error message if lists of this size in bytes are too large together with the lists of the other sources. Call it before
   * parsing the lists.
   */
  readonly tooLarge: (bytes: number) => string | undefined;
  /** Steady clock; seconds. */
  readonly now: () => number;
  readonly log: Log;
  readonly signal: AbortSignal;
  /** Shared by all sources: runs one piece of memory-intensive work at a time. */
  readonly alone: ReturnType<typeof oneAtATime>;
  /** Shared by all sources: large responses are received one at a time. */
  readonly budget: Budget;
  /** Shared by all sources: limits the memory for pods. */
  readonly pods: PodBudget;
  readonly userAgent: string;
  /** The lookup of host names. Absent: the one of Node.js. */
  readonly lookup?: LookupFunction | undefined;
  /** Address and credentials of the API server. */
  readonly cluster: Cluster;
}

/** Seconds until the next refresh. After a failure, it is 1, and after each further failure twice as long, up to `interval`. */
export const nextRefresh = (interval: number, failures: number): number =>
  failures === 0 ? interval : doublingWait(failures, { first: 1, max: interval });

/** Resolves after the signal, when everything has ended; rejects on a bug. */
export type RunSource<C> = (config: C, context: SourceContext) => Promise<void>;
