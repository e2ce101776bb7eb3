// Text from the node made fit to show and to keep: bounded, and without what no reader should get.

/** Control characters (line breaks and tabs apart) and halves of surrogate pairs. */
const unreadable = /(?![\n\t])[\p{Cc}\p{Cs}]/gu;

/** At most `limit` UTF-16 units: what is longer keeps its beginning and its end around a "…". */
export const shortened = (text: string, limit: number): string => {
  const tail = Math.floor((limit - 1) / 3);
  const cut = text.length <= limit ? text : `${text.slice(0, limit - 1 - tail)}…${text.slice(text.length - tail)}`;
  return cut.replace(unreadable, '\uFFFD');
};
