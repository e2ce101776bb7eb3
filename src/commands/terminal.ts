// What a person sees: colour where there is a terminal that wants it.

import type { Condition, Status } from '../conditions/condition.ts';
import type { CommandContext } from './context.ts';

export interface Paint {
  readonly bad: (text: string) => string;
  readonly warn: (text: string) => string;
  readonly good: (text: string) => string;
  readonly strong: (text: string) => string;
  readonly faint: (text: string) => string;
}

const colour =
  (on: boolean, code: number) =>
  (text: string): string =>
    on && text !== '' ? `\u001b[${code}m${text}\u001b[0m` : text;

/** NO_COLOR counts where it is not empty (no-color.org). */
export const paintFor = ({ env, isTerminal }: Pick<CommandContext, 'env' | 'isTerminal'>): Paint => {
  const on = isTerminal && (env.NO_COLOR ?? '') === '' && env.TERM !== 'dumb';
  return { bad: colour(on, 31), warn: colour(on, 33), good: colour(on, 32), strong: colour(on, 1), faint: colour(on, 2) };
};

const marks = { True: 'good', False: 'bad', Unknown: 'warn' } as const satisfies Record<Status, keyof Paint>;

/** `ready: False ChecksFailing: …`, a line each, as the probes word them. */
export const conditionLines = (conditions: Readonly<Record<string, Condition>>, paint: Paint): string =>
  Object.entries(conditions)
    .map(([type, { status, reason, message }]) => `${type}: ${paint[marks[status]](status)} ${reason}: ${message}\n`)
    .join('');
