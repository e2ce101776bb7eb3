// What main.ts passes to a command: everything of the process that it may use.

import type { ReadStream, WriteStream } from 'node:tty';
import type { Log, LogSettings } from '../log.ts';

/** Abort reason if the reader of stdout has closed it, as `head` does. This is not an error. */
export const readerGone = new Error('stdout is closed');

export interface Terminal {
  readonly input: ReadStream;
  readonly output: WriteStream;
}

export interface CommandContext {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Writes the text unchanged. The caller adds newlines. */
  readonly stdout: (text: string) => void;
  /** For endless output: resolves when stdout accepts more, or when its reader is gone. Undefined if it always does. */
  readonly stdoutReady?: () => Promise<void>;
  readonly stderr: (text: string) => void;
  /** Data piped into stdin, in chunks. Undefined without any. */
  readonly stdin?: () => AsyncIterable<Uint8Array>;
  /** Aborted when the process is asked to stop, and, with the reason `readerGone`, when the reader of stdout is gone. */
  readonly signal: AbortSignal;
  /** Calls `heard` for each SIGHUP until the signal, and at once if one came before. Undefined if SIGHUP never comes. */
  readonly onHangup?: (heard: () => void, signal: AbortSignal) => void;
  /** Steady clock: the Unix time at the start of the process, plus elapsed seconds with a fraction. Not affected by clock changes. */
  readonly now: () => number;
  /** Wall clock in Unix seconds, which may be set, for times that are shown. Default: `now`. */
  readonly wallClock?: () => number;
  /** Seconds since the machine booted: the same clock for all processes, which is never set. Default: `now`. */
  readonly sinceBoot?: () => number;
  readonly version: string;
  /** Whether stdout is a terminal. Only then there is progress and colour. */
  readonly isTerminal: boolean;
  /** Whether stderr is a terminal, independent of stdout. Default: false. */
  readonly stderrIsTerminal?: boolean;
  /** The terminal to read keys from and to draw on, if stdin and stdout are one. Undefined if they are not. */
  readonly terminal?: () => Terminal | undefined;
  /** Current width of that terminal. Undefined or 0 if unknown. */
  readonly stderrColumns?: () => number | undefined;
  /** Sets the exit code, but does not end the process. */
  readonly exit: (code: number) => void;
  readonly log: Log;
  /** Opens a log with the settings of the arguments. Undefined if `log` is always used as it is. */
  readonly openLog?: (settings: LogSettings) => Log;
}
