// Formatting for people: colour if the output is a terminal that supports it.

import type { Paint } from '../report/paint.ts';
import type { CommandContext } from './context.ts';

const colour =
  (on: boolean, code: number) =>
  (text: string): string =>
    on && text !== '' ? `\u001b[${code}m${text}\u001b[0m` : text;

/** NO_COLOR has an effect unless it is empty (no-color.org). */
export const paintFor = ({ env, isTerminal }: Pick<CommandContext, 'env' | 'isTerminal'>): Paint => {
  const on = isTerminal && (env.NO_COLOR ?? '') === '' && env.TERM !== 'dumb';
  return { bad: colour(on, 31), warn: colour(on, 33), good: colour(on, 32), strong: colour(on, 1), faint: colour(on, 2) };
};
