// Text and values from a node made fit for a terminal.

export { printable } from '../verdict/words.ts';

/** What JSON leaves as it is, and a terminal should not get: DEL, C1 controls, format characters, line separators. */
const unescaped = /[\u007f-\u009f\u2028\u2029\p{Cf}]/gu;

const escaped = (text: string): string =>
  Array.from({ length: text.length }, (_, at) => `\\u${text.charCodeAt(at).toString(16).padStart(4, '0')}`).join('');

/** One line of JSON, with its line end. The values are the node's own; the text is safe to print. */
export const printableJson = (value: unknown): string => `${JSON.stringify(value).replace(unescaped, escaped)}\n`;
