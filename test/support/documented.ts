// Commands as documents have them: blocks that are indented by four spaces. What is run is what is read.

import { readFileSync } from 'node:fs';

export const document = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

/** The indented blocks of a text, each as a script. */
export const commandBlocks = (markdown: string): readonly string[] =>
  Array.from(markdown.replace(/^```.*?^```/gms, '').matchAll(/(?<=\n\n)(?: {4}.*\n?)(?:(?: {4}.*)?\n?)*/g), ([block]) =>
    block.replace(/^ {4}/gm, '').trim(),
  ).filter((block) => block !== '');

/** The blocks under a second heading. */
export const commandsUnder = (markdown: string, heading: string): readonly string[] => {
  const part = markdown.split(/^## +/m).find((text) => text.startsWith(`${heading}\n`));
  if (part === undefined) throw new Error(`no heading ${heading}`);
  return commandBlocks(part);
};
