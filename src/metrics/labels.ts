// Names that the node's operator chose, made fit to be label values.

import { crc32 } from 'node:zlib';

export const maxLabelLength = 128;

const fits = (text: string): boolean => text.length <= maxLabelLength;

/** Two long names that begin alike must not become one: what was cut off leaves its checksum behind. */
const cut = (text: string): string => {
  const mark = `~${crc32(text).toString(16).padStart(8, '0')}`;
  const head = text.slice(0, maxLabelLength - mark.length);
  return head.replace(/[\ud800-\udbff]$/, '') + mark;
};

/** Well-formed Unicode of at most 128 UTF-16 units. Lone surrogates, which have no UTF-8, become U+FFFD. */
export const labelValue = (text: string): string => {
  // Hardly any has one, and to look for that is a tenth of the work.
  const wellFormed = /[\ud800-\udfff]/.test(text) ? text.replace(/\p{Surrogate}/gu, '\ufffd') : text;
  return fits(wellFormed) ? wellFormed : cut(wellFormed);
};

/** A key for a list of label values. No well-formed value holds a lone surrogate, so no two lists share one. */
export const labelsKey = (values: readonly string[]): string => values.join('\ud800');
