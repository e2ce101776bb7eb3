// Text as page and API show it.

import { span } from '../snapshot/text.ts';

export { shortened } from '../protocol/shortened.ts';
export { isoOf, rounded, span } from '../snapshot/text.ts';

/** `4 s ago`; what lies ahead (a clock that is wrong) says so. */
export const ago = (seconds: number): string => {
  if (Math.abs(seconds) < 1) return 'just now';
  return seconds < 0 ? `${span(-seconds)} ahead` : `${span(seconds)} ago`;
};
