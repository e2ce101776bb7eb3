// Ages grow by the browser's own steady clock: its time of day may be wrong.

import { ago, span } from '../../text.ts';

/** `passed`: seconds since the page was as the server gave it. */
export const growAges = (passed: number): void => {
  for (const time of document.querySelectorAll<HTMLElement>('[data-age]')) {
    const age = Number(time.dataset.age) + passed;
    const text = time.dataset.as === 'span' ? span(Math.max(0, age)) : ago(age);
    const shown = time.firstChild;
    if (shown !== null && shown.nodeValue !== text) shown.nodeValue = text;
  }
};
