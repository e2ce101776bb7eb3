// Markdown helpers for generated documents.

/** Escapes text for a table cell. */
export const cell = (text: string): string => text.replace(/[|<>]/g, (character) => `\\${character}`);

export const code = (text: string): string => `\`${text}\``;

export const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');
