// The pieces of Markdown that generated documents share.

/** Text as it may stand in a cell of a table. */
export const cell = (text: string): string => text.replace(/[|<>]/g, (character) => `\\${character}`);

export const code = (text: string): string => `\`${text}\``;

export const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');
