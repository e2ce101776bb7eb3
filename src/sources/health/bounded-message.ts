// Cuts a check's message, which may be any JSON value of any size, for the page and API responses.

import { shortened } from '../../text.ts';

const limits = { characters: 2048, text: 256, items: 16, depth: 8 } as const;

export interface Message {
  /** JSON value shaped like the node's, with "…" for what was left out. */
  readonly value: unknown;
  readonly cut: boolean;
}

const left = (count: number): string => `… ${count} more`;

/** Limited in depth, items per level and total characters: never recurses deeper than the limit. */
export const boundedMessage = (message: unknown): Message => {
  let characters = 0;
  let cut = false;
  const text = (whole: string): string => {
    const short = shortened(whole, limits.text);
    characters += short.length;
    cut ||= short !== whole;
    return short;
  };
  const copy = (value: unknown, depth: number): unknown => {
    if (typeof value === 'string') return text(value);
    if (typeof value !== 'object' || value === null) {
      characters += 8;
      return value;
    }
    if (depth === limits.depth) {
      cut = true;
      return '…';
    }
    return Array.isArray(value) ? items(value, depth) : members(value, depth);
  };
  const items = (values: readonly unknown[], depth: number): readonly unknown[] => {
    const kept: unknown[] = [];
    for (const value of values.slice(0, limits.items)) if (characters < limits.characters) kept.push(copy(value, depth + 1));
    if (kept.length < values.length) {
      cut = true;
      kept.push(left(values.length - kept.length));
    }
    return kept;
  };
  const members = (value: object, depth: number): object => {
    const all = Object.entries(value);
    const kept: [string, unknown][] = [];
    for (const [name, member] of all.slice(0, 2 * limits.items))
      if (characters < limits.characters) kept.push([text(name), copy(member, depth + 1)]);
    if (kept.length < all.length) {
      cut = true;
      kept.push(['…', left(all.length - kept.length)]);
    }
    return Object.fromEntries(kept);
  };
  return { value: copy(message, 0), cut };
};
