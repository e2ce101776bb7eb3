// Text from a node made fit for a terminal: one line, and nothing that moves a cursor, changes a colour or turns the direction.

const lineBreaks = /[\n\r\u0085\u2028\u2029]+/g;

/** Control and format characters and halves of surrogate pairs. */
const unprintable = /[\p{Cc}\p{Cf}\p{Cs}]/gu;

/** At most `limit` UTF-16 units of the text, both ends around a "…" where it is longer; then made printable. */
export const printable = (text: string, limit = 200): string => {
  const tail = Math.floor((limit - 1) / 3);
  const cut = text.length <= limit ? text : `${text.slice(0, limit - 1 - tail)}…${text.slice(text.length - tail)}`;
  return cut.replace(lineBreaks, '; ').replaceAll('\t', ' ').replace(unprintable, '\uFFFD');
};

/** What JSON leaves as it is, and a terminal should not get: DEL, C1 controls, format characters, line separators. */
const unescaped = /[\u007f-\u009f\u2028\u2029\p{Cf}]/gu;

const escaped = (text: string): string =>
  Array.from({ length: text.length }, (_, at) => `\\u${text.charCodeAt(at).toString(16).padStart(4, '0')}`).join('');

/** One line of JSON, with its line end. The values are the node's own; the text is safe to print. */
export const printableJson = (value: unknown): string => `${JSON.stringify(value).replace(unescaped, escaped)}\n`;
