// What a command gets from main.ts: everything of the process that it may touch.

import type { Log } from '../log.ts';

export interface CommandContext {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Writes the text as it is: line ends are the caller's. */
  readonly stdout: (text: string) => void;
  readonly stderr: (text: string) => void;
  /** What is piped in, a chunk at a time; absent: nothing. */
  readonly stdin?: () => AsyncIterable<Uint8Array>;
  /** Aborted when the process is asked to stop. */
  readonly signal: AbortSignal;
  /** Has SIGHUP heard until the signal, instead of ending the process as it does otherwise; absent: it never comes. */
  readonly onHangup?: (heard: () => void, signal: AbortSignal) => void;
  /** Seconds since the Unix epoch, fraction included. */
  readonly now: () => number;
  readonly version: string;
  /** True where stdout is a terminal: progress and colour only there. */
  readonly isTerminal: boolean;
  /** True where stderr is one, whatever becomes of stdout; absent: no. */
  readonly stderrIsTerminal?: boolean;
  /** Sets the exit code; it does not end the process. */
  readonly exit: (code: number) => void;
  readonly log: Log;
}
