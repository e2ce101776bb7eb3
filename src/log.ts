// The type of the log, passed in as an argument. pino is made in main.ts.

type Write = (fields: Readonly<Record<string, unknown>>, message: string) => void;

export interface Log {
  readonly debug: Write;
  readonly info: Write;
  readonly warn: Write;
  readonly error: Write;
}

const nothing: Write = () => undefined;

export const silentLog: Log = { debug: nothing, info: nothing, warn: nothing, error: nothing };
