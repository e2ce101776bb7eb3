// The headers that go with the page: this one style sheet and this one script, by their hashes, and nothing else that loads,
// runs or frames.

import { createHash } from 'node:crypto';
import { text as styleSheet } from './browser/page.css?browser';
import { text as script } from './browser/page.ts?browser';

const hashOf = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/** Tells one build of the page from another: a page left open loads itself anew when it meets a newer one. */
export const build = createHash('sha256').update(styleSheet).update(script).digest('hex').slice(0, 12);

export const pageHeaders = (): Readonly<Record<string, string>> => ({
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': [
    "default-src 'none'",
    `style-src ${hashOf(styleSheet)}`,
    `script-src ${hashOf(script)}`,
    "connect-src 'self'",
    'img-src data:',
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    // The script never makes markup out of text, and the browser holds it to that.
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; '),
  'Referrer-Policy': 'no-referrer',
});
