// Progress of a long walk on stderr: one line that is overwritten on a terminal, otherwise a line every few seconds.

import type { IndexName } from '../../protocol/paths.ts';
import { progressLine, progressText, type WalkProgress } from '../../walk/progress.ts';
import type { CommandContext } from '../context.ts';

export type Display = ReturnType<typeof displayOf>;

const terminalSeconds = 0.2;
const plainSeconds = 10;
const eraseLine = '\r\u001b[K';

export const displayOf = ({ now, stderr, stderrIsTerminal, stderrColumns }: CommandContext, index: IndexName) => {
  const startedAt = now();
  let shownAt = startedAt;
  let isShown = false;
  /** Removes the progress line. */
  const clear = (): void => {
    if (isShown) stderr(eraseLine);
    isShown = false;
  };
  return {
    show: (progress: WalkProgress): void => {
      const at = now();
      if (at - shownAt < (stderrIsTerminal === true ? terminalSeconds : plainSeconds)) return;
      shownAt = at;
      const seconds = at - startedAt;
      if (stderrIsTerminal === true) stderr(`${eraseLine}${progressLine(progress, seconds, stderrColumns?.())}`);
      else stderr(`${index}: ${progressText(progress, seconds)}\n`);
      isShown = stderrIsTerminal === true;
    },
    /** Prints a line that stays. */
    note: (line: string): void => {
      clear();
      stderr(`${line}\n`);
    },
    clear,
  };
};
