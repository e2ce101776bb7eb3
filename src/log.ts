// The type of the log, which is passed in as an argument, and its settings. logger.ts creates the log with pino.

type Write = (fields: Readonly<Record<string, unknown>>, message: string) => void;

export interface Log {
  readonly debug: Write;
  readonly info: Write;
  readonly warn: Write;
  readonly error: Write;
}

export const logLevels = ['debug', 'info', 'warn', 'error', 'silent'] as const;
/** auto: pretty on a terminal, JSON elsewhere. */
export const logFormats = ['auto', 'json', 'pretty'] as const;

export interface LogSettings {
  readonly level: (typeof logLevels)[number];
  readonly format: (typeof logFormats)[number];
}

const nothing: Write = () => undefined;

export const silentLog: Log = { debug: nothing, info: nothing, warn: nothing, error: nothing };
