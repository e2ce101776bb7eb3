// Adds to a failure what was requested: the URL, the Host header, and where a redirect points.

import { shownUrl } from '../protocol/node-url.ts';
import { printable } from '../text.ts';
import { type ClientOptions, hostHeaderOf, prefixOf } from './options.ts';
import type { Outcome } from './outcome.ts';
import type { Head } from './transport.ts';

export type Located = <T>(outcome: Outcome<T>, path: string, head: Head | undefined) => Outcome<T>;

export const locatedBy = (options: ClientOptions): Located => {
  const prefix = prefixOf(options);
  const host = printable(hostHeaderOf(options));
  return (outcome, path, head) => {
    if (outcome.kind === 'ok') return outcome;
    // Without the query, which holds the tags.
    const url = printable(shownUrl(prefix) + path.replace(/\?.*/s, ''));
    if (outcome.kind === 'host-forbidden') return { ...outcome, url, host };
    if (outcome.kind !== 'http-status' || head?.location === undefined) return { ...outcome, url };
    return { ...outcome, url, location: head.location };
  };
};
