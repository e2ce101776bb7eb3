// What a command gets from main.ts: everything of the process that it may touch.

import type { ReadStream, WriteStream } from 'node:tty';
import type { Log, LogSettings } from '../log.ts';

/** The reader of stdout has had enough, as `head` has: no fault of anybody. */
export const readerGone = new Error('stdout is closed');

export interface Terminal {
  readonly input: ReadStream;
  readonly output: WriteStream;
}

export interface CommandContext {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Writes the text as it is: line ends are the caller's. */
  readonly stdout: (text: string) => void;
  /** Resolves when stdout can take more, or nobody reads it any more; absent: it always can. For what writes without an end. */
  readonly stdoutReady?: () => Promise<void>;
  readonly stderr: (text: string) => void;
  /** What is piped in, a chunk at a time; absent: nothing. */
  readonly stdin?: () => AsyncIterable<Uint8Array>;
  /** Aborted when the process is asked to stop, and, with `readerGone` for its reason, when nobody reads stdout any more. */
  readonly signal: AbortSignal;
  /** Has SIGHUP heard until the signal, and at once one that came before; absent: it never comes. */
  readonly onHangup?: (heard: () => void, signal: AbortSignal) => void;
  /** Steady: seconds since the Unix epoch as it was when the process started, fraction included. No clock that is set moves it. */
  readonly now: () => number;
  /** What the time is, seconds since the Unix epoch: for what is shown, and may be set; absent: as `now` says. */
  readonly wallClock?: () => number;
  /** Seconds since the machine was booted: the same clock for every process, which is never set; absent: as `now` says. */
  readonly sinceBoot?: () => number;
  readonly version: string;
  /** True where stdout is a terminal: progress and colour only there. */
  readonly isTerminal: boolean;
  /** True where stderr is one, whatever becomes of stdout; absent: no. */
  readonly stderrIsTerminal?: boolean;
  /** Where stdin and stdout are one: to read keys from, and to draw on; absent or undefined: there is none. */
  readonly terminal?: () => Terminal | undefined;
  /** How wide that terminal is by now; undefined or 0 where nobody knows. */
  readonly stderrColumns?: () => number | undefined;
  /** Sets the exit code; it does not end the process. */
  readonly exit: (code: number) => void;
  readonly log: Log;
  /** The log as the arguments want it; absent: `log` as it is. */
  readonly openLog?: (settings: LogSettings) => Log;
}
