// A line of the log, as a value: what is worth one when a state follows another.

export interface LogEntry {
  readonly level: 'info' | 'warn';
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** The entry with further fields, in front of its own. */
export const withFields = (entry: LogEntry, fields: LogEntry['fields']): LogEntry => ({
  ...entry,
  fields: { ...fields, ...entry.fields },
});
