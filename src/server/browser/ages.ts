// Updates ages by the browser's monotonic clock, as its wall clock may be wrong.

import { ago, span } from '../../text.ts';

/** `passed`: seconds since the server rendered the page. */
export const growAges = (passed: number): void => {
  for (const time of document.querySelectorAll<HTMLElement>('[data-age]')) {
    const age = Number(time.dataset.age) + passed;
    const text = time.dataset.as === 'span' ? span(Math.max(0, age)) : ago(age);
    const shown = time.firstChild;
    if (shown !== null && shown.nodeValue !== text) shown.nodeValue = text;
  }
};
