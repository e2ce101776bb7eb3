// The screen of `snowgauge top`: queries repeatedly, draws on the terminal's alternate screen, and restores the terminal at the end.

import { emitKeypressEvents } from 'node:readline';
import { pause } from '../pause.ts';
import type { FleetAnswer } from '../report/fleet-answer.ts';
import { afterKey, type Key, screenText, type TopView } from '../report/top-view.ts';
import type { SnowgaugeAnswer } from './ask-snowgauge.ts';
import type { CommandContext, Terminal } from './context.ts';
import { sayStopped } from './exit-codes.ts';
import { paintFor } from './terminal.ts';

/** Alternate screen, hidden cursor, no wrapping of long lines. */
const enter = '\u001b[?1049h\u001b[?25l\u001b[?7l';
const leave = '\u001b[?7h\u001b[?25h\u001b[?1049l';
const home = '\u001b[H';
const endOfLine = '\u001b[K';
const endOfScreen = '\u001b[J';

/** Returns the response if the very first request is refused: its parameters are wrong, so a retry would not help. */
export const watchFleet = async (
  ask: (by: string, signal: AbortSignal) => Promise<SnowgaugeAnswer<FleetAnswer>>,
  { interval, by, url }: { readonly interval: number; readonly by: string; readonly url: string },
  { input, output }: Terminal,
  context: CommandContext,
): Promise<Extract<SnowgaugeAnswer<FleetAnswer>, { readonly kind: 'failed' }> | undefined> => {
  const { now, signal } = context;
  const quit = new AbortController();
  const ends = AbortSignal.any([signal, quit.signal]);
  let again = new AbortController();
  let view: TopView = { sort: 'worst', filter: '', isTyping: false, onlyIll: false, by, offset: 0 };
  let fleet: FleetAnswer | undefined;
  let answeredAt = now();
  let reason: string | undefined;
  const paint = paintFor(context);

  const draw = (): void => {
    // While the terminal still has output to read, nothing newer is drawn.
    if (output.writableNeedDrain) return;
    const failed = reason === undefined ? undefined : { seconds: now() - answeredAt, reason };
    const screen = { url, fleet, failed, columns: output.columns || 80, rows: output.rows || 24 };
    const { lines, offset } = screenText(view, screen, paint);
    view = { ...view, offset };
    output.write(`${home}${lines.map((line) => line + endOfLine).join('\r\n')}${endOfScreen}`);
  };
  const pressed = (_: string | undefined, key: Key): void => {
    const next = afterKey(view, key);
    if (next === 'quit') quit.abort();
    else {
      if (next.by !== view.by) again.abort();
      view = next;
      draw();
    }
  };

  emitKeypressEvents(input);
  input.setRawMode(true);
  input.on('keypress', pressed);
  input.resume();
  output.on('resize', draw);
  output.write(enter);
  try {
    while (!ends.aborted) {
      again = new AbortController();
      const asked = await ask(view.by, ends);
      if (ends.aborted) break;
      if (asked.kind === 'failed' && asked.isRefused && fleet === undefined) return asked;
      if (asked.kind === 'ok') [fleet, answeredAt, reason] = [asked.value, now(), undefined];
      else reason = asked.reason;
      draw();
      await pause(interval, AbortSignal.any([ends, again.signal]));
    }
  } finally {
    input.off('keypress', pressed);
    output.off('resize', draw);
    input.setRawMode(false);
    input.pause();
    output.write(leave);
  }
  if (signal.aborted) context.exit(sayStopped(context));
  return undefined;
};
