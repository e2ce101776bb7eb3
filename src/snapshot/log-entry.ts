// Log lines as values: for a change of the state, and for a state that lasts.

export interface LogEntry {
  readonly level: 'info' | 'warn';
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/**
 * A current state of one part of a target. It is logged once, as a warning only after two consecutive polls, and in one line for all parts
 * with the same message.
 */
export interface Ongoing extends Pick<LogEntry, 'level' | 'message'> {
  /** The kind of part, which is the log field that lists the parts. */
  readonly field: 'tagSets' | 'tags' | 'indexes' | 'checks';
  readonly name: string;
  /** The value that differs between the parts: a state or a failure. */
  readonly value: string;
  /** The message when the state has ended and no other has begun; absent: no line. */
  readonly end?: string;
}
