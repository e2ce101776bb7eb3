// Updates ages by the time that has passed, because the browser's clock may differ from the server's.

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
