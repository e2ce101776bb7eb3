// Formats a table as lines for a terminal.

import { greatest } from '../lists.ts';
import { printable, truncated } from '../text.ts';
import type { Paint } from './paint.ts';

export interface Line {
  readonly cells: readonly string[];
  readonly level: 'bad' | 'warn' | 'plain' | 'faint';
}

/** Maximum width of all columns except the last, in characters. */
const maxCell = 48;

/** Each column is as wide as its longest cell, up to `maxCell`. The last column has the rest of the width of the terminal. */
export const columnLines = (
  heads: readonly string[],
  lines: readonly Line[],
  { columns, paint }: { readonly columns: number | undefined; readonly paint: Paint },
): readonly string[] => {
  const all: readonly Line[] = [{ cells: heads.map((head) => head.toUpperCase()), level: 'faint' }, ...lines];
  const texts = all.map(({ cells, level }) => ({ cells: cells.map((cell) => printable(cell, 300)), level }));
  const widths = heads.map((_, at) => Math.min(maxCell, greatest(texts.map(({ cells }) => cells[at]?.length ?? 0))));
  return texts.map(({ cells, level }) => {
    const text = cells
      .map((cell, at) => (at === heads.length - 1 ? cell : cutTo(cell, maxCell).padEnd(widths[at] ?? 0)))
      .join('  ');
    const whole = cutTo(text.trimEnd(), columns);
    return level === 'plain' ? whole : paint[level](whole);
  });
};

/** Cuts the text to this number of characters; undefined: does not cut it. */
export const cutTo = (text: string, columns: number | undefined): string =>
  columns === undefined ? text : truncated(text, columns);
