// A line of the log, as a value: what is worth one when a state follows another, and what for as long as it holds.

export interface LogEntry {
  readonly level: 'debug' | 'info' | 'warn';
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/**
 * What holds of one part of a target at present. The log says it once, a warning only when two polls in a row showed it, and all
 * parts of which the same is said in one line.
 */
export interface Ongoing extends Pick<LogEntry, 'level' | 'message'> {
  /** What it is part of: the field of the log that lists the parts. */
  readonly field: 'tagSets' | 'tags' | 'indexes' | 'checks';
  readonly name: string;
  /** What differs from part to part: a state, a failure. */
  readonly value: string;
  /** The line when it holds no longer and nothing else does; absent: none. */
  readonly end?: string;
}
