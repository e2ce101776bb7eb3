// The configuration of the targets, and the changes that an operator repeats over a year.

/** Settings of the nth node. */
export interface Settings {
  readonly nth: number;
  readonly isConfigured: boolean;
  readonly name: string;
  readonly url: string;
  readonly staleAfter: number;
  readonly hasTagSet: boolean;
  readonly timeoutMs: number;
  /** Seconds. */
  readonly interval: number;
}

export const firstSettings = (nth: number, url: string, interval: number): Settings => ({
  ...{ nth, url, interval, isConfigured: true, name: `node-${nth}`, staleAfter: 3, hasTagSet: false, timeoutMs: 5000 },
});

/** In the format of the configuration file. */
export const inFile = ({ name, url, staleAfter, hasTagSet, timeoutMs, interval }: Settings) => ({
  ...{ name, url, staleAfter, healthCheckFrequency: `${interval}s`, timeout: `${timeoutMs}ms` },
  tagSets: ['auto' as const, ...(hasTagSet ? [{ name: 'extra', tags: ['extra'] }] : [])],
  indexes: ['P/block' as const],
});

type Change = (one: Settings) => Settings;

/** Changes of every third target, or of one: each is undone by the next of its kind. */
const changes: readonly Change[] = [
  (one) => one,
  (one) => (one.nth % 3 === 0 ? { ...one, staleAfter: 7 - one.staleAfter } : one),
  (one) => (one.nth % 3 === 1 ? { ...one, hasTagSet: !one.hasTagSet } : one),
  (one) => (one.nth === 1 ? { ...one, name: one.name === 'node-1' ? 'renamed-1' : 'node-1' } : one),
  (one) => (one.nth === 2 ? { ...one, isConfigured: !one.isConfigured } : one),
  (one) => (one.nth % 3 === 2 ? { ...one, timeoutMs: 9000 - one.timeoutMs } : one),
  (one) => (one.nth === 3 ? { ...one, interval: one.interval % 10 === 0 ? one.interval - 1 : one.interval + 1 } : one),
];

/** The settings after this reload. */
export const settingsAfter = (before: readonly Settings[], reload: number): readonly Settings[] =>
  before.map((one) => changes[reload % changes.length]?.(one) ?? one);
