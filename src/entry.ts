// What of a target is no knowledge of its node: the client it is asked with, and what the log has said. It changes in place.

import type { Client } from './client/client.ts';
import { type LineMemory, noLines } from './events/lines.ts';
import type { Next } from './replaced.ts';

/** A target for as long as it is asked the same: what a poll of another one brings is of no use to it. */
export interface Entry {
  readonly name: string;
  /** No longer configured. */
  readonly isRemoved: boolean;
  /** Found, not handwritten. */
  isDiscovered: boolean;
  client: Client;
  /** The client of the poll that is under way. */
  inUse: Client | undefined;
  /** What the log has said of it. */
  lines: LineMemory;
  /** Faults of ours that were logged, so that each is once. */
  readonly logged: Set<string>;
}

/** The same where a reload changed nothing of what is asked. */
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

/** Under which a removed target stands beside the configured ones: no configured name has a space. */
export const removedKey = (name: string): string => `removed ${name}`;

export const keyOf = ({ name, isRemoved }: Pick<Entry, 'name' | 'isRemoved'>): string => (isRemoved ? removedKey(name) : name);

/** Those of polls that are under way, too. */
export const clientsOf = (entries: Iterable<Entry>): ReadonlySet<Client> =>
  new Set(Array.from(entries).flatMap(({ client, inUse = client }) => [client, inUse]));
