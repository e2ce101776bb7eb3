// Extracts the commands of documents, blocks indented by four spaces, so that tests run what readers see.

import { readFileSync } from 'node:fs';

export const document = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

/** The indented blocks of a document, each as a script. */
export const commandBlocks = (markdown: string): readonly string[] =>
  Array.from(markdown.replace(/^```.*?^```/gms, '').matchAll(/(?<=\n\n)(?: {4}.*\n?)(?:(?: {4}.*)?\n?)*/g), ([block]) =>
    block.replace(/^ {4}/gm, '').trim(),
  ).filter((block) => block !== '');

/** The blocks below a second-level heading. */
export const commandsUnder = (markdown: string, heading: string): readonly string[] => {
  const part = markdown.split(/^## +/m).find((text) => text.startsWith(`${heading}\n`));
  if (part === undefined) throw new Error(`no heading ${heading}`);
  return commandBlocks(part);
};
