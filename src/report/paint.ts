// How text for people is highlighted: with colours if the terminal supports them, otherwise not at all.

import type { Condition, Status } from '../conditions/condition.ts';
import type { Note } from './notes.ts';

export interface Paint {
  readonly bad: (text: string) => string;
  readonly warn: (text: string) => string;
  readonly good: (text: string) => string;
  readonly strong: (text: string) => string;
  readonly faint: (text: string) => string;
}

const asIs = (text: string): string => text;

export const unpainted: Paint = { bad: asIs, warn: asIs, good: asIs, strong: asIs, faint: asIs };

const marks = { True: 'good', False: 'bad', Unknown: 'warn' } as const satisfies Record<Status, keyof Paint>;

/** A line for each condition, such as `ready: False ChecksFailing: …`, worded as in the responses to probes. */
export const conditionText = (conditions: Readonly<Record<string, Condition>>, paint: Paint): string =>
  Object.entries(conditions)
    .map(([type, { status, reason, message }]) => `${type}: ${paint[marks[status]](status)} ${reason}: ${message}\n`)
    .join('');

export const noteText = (notes: readonly Note[], paint: Paint): string =>
  notes.map(({ message }) => `${paint.warn('note')}: ${message}\n`).join('');
