// Data of a target other than the state of its node: its client, and what was logged. It changes in place.

import type { Client } from './client/client.ts';
import { type LineMemory, noLines } from './events/lines.ts';
import type { Next } from './replaced.ts';

/**
 * Kept as long as a reload does not change what is requested from the node. The result of a poll is discarded if its entry was replaced.
 */
export interface Entry {
  readonly name: string;
  /** No longer configured. */
  readonly isRemoved: boolean;
  /** Found by discovery instead of configured by hand. */
  isDiscovered: boolean;
  client: Client;
  /** The client of the current poll. */
  inUse: Client | undefined;
  /** What was logged about the target. */
  lines: LineMemory;
  /** Bugs that were logged, so that each is logged only once. */
  readonly logged: Set<string>;
}

/** The same entry if the reload did not change what is requested; else a new one. */
export const entryAfter = (
  before: Entry | undefined,
  { target, change }: Next,
  client: Client,
  { isRemoved = false, isDiscovered = false } = {},
): Entry => {
  if (before !== undefined && (change === 'none' || change === 'apply')) {
    before.client = client;
    before.isDiscovered = isDiscovered;
    return before;
  }
  const lines = change === 'adjust' ? before?.lines : undefined;
  const { name } = target.state.options;
  return { name, isRemoved, isDiscovered, client, inUse: undefined, lines: lines ?? noLines, logged: new Set() };
};

/** The key of a removed target. It cannot collide with the name of a configured one, which has no spaces. */
export const removedKey = (name: string): string => `removed ${name}`;

export const keyOf = ({ name, isRemoved }: Pick<Entry, 'name' | 'isRemoved'>): string => (isRemoved ? removedKey(name) : name);

/** All clients in use, including those of current polls. */
export const clientsOf = (entries: Iterable<Entry>): ReadonlySet<Client> =>
  new Set(Array.from(entries).flatMap(({ client, inUse = client }) => [client, inUse]));
