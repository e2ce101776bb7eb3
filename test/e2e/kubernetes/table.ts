// The measurements of a soak as one table at its end.

export interface Row {
  readonly what: string;
  readonly seen: string;
}

export const tableOf = (rows: readonly Row[]): string =>
  ['| what | seen |', '|---|---|', ...rows.map(({ what, seen }) => `| ${what} | ${seen} |`)].join('\n');
