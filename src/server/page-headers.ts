// Security headers of the page: they allow only its own style sheet and script, by their hashes, and no other resources or frames.

import { createHash } from 'node:crypto';
import { text as styleSheet } from './browser/page.css?browser';
import { text as script } from './browser/page.ts?browser';

const hashOf = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/** Identifies the build of the page: an open page reloads itself when the server has another one. */
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
    // The script never creates markup from text. With these directives, the browser enforces that.
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; '),
  'Referrer-Policy': 'no-referrer',
});
