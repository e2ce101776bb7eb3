// Sanitizes names that the node's operator chose for use as label values, and renders labels as text.

import { distinctName } from '../protocol/foreign-text.ts';

export const maxLabelLength = 128;

/** Well-formed Unicode of at most 128 UTF-16 units. Lone surrogates, which have no UTF-8, become U+FFFD. */
export const labelValue = (text: string): string => distinctName(text, maxLabelLength);

const escaped = (value: string): string =>
  /[\\\n"]/.test(value) ? value.replace(/\\/g, '\\\\').replace(/\n/g, '\\n').replace(/"/g, '\\"') : value;

/** The text between the braces, with a comma before each label. Different values give different texts. */
export const labelsText = (names: readonly string[], values: readonly string[]): string => {
  let text = '';
  for (let at = 0; at < names.length; at += 1) text += `,${names[at]}="${escaped(labelValue(values[at] ?? ''))}"`;
  return text;
};
