// The truth table of docs/probes.md, written from the situations that test/conditions/truth-table.test.ts causes.

import type { Said } from './situation.ts';
import { situations } from './situations.ts';

const cell = (said: Said): string => (said === 'True' ? 'True' : `**${said}**`);

const columns = ['started', 'healthy', 'all', 'primary', 'alpha', 'beta', 'live'] as const;

/** The table of docs/probes.md. */
export const truthTable = (): string =>
  [
    '| situation | Started | Healthy | Ready: all | Ready: primary | Ready: alpha | Ready: beta | Live |',
    '| --- | --- | --- | --- | --- | --- | --- | --- |',
    ...situations.map(
      ({ situation, conditions }) => `| ${situation} | ${columns.map((column) => cell(conditions[column])).join(' | ')} |`,
    ),
  ].join('\n');

export const marks = { begin: '<!-- truth table: written by npm run docs -->', end: '<!-- end of the truth table -->' } as const;

/** The document with the table inserted. */
export const withTruthTable = (document: string): string => {
  const [before = '', rest = ''] = document.split(marks.begin);
  const [, after = ''] = rest.split(marks.end);
  return `${before}${marks.begin}\n\n${truthTable()}\n\n${marks.end}${after}`;
};
