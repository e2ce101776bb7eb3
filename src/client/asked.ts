// What a failure says of the question that it came of: its URL, the Host header, where a redirect points.

import { publicUrl } from '../protocol/node-url.ts';
import { sentence } from './faults.ts';
import type { ClientOptions } from './options.ts';
import type { Outcome } from './outcome.ts';
import { type Head, prefixOf } from './transport.ts';

export type Located = <T>(outcome: Outcome<T>, path: string, head: Head | undefined) => Outcome<T>;

export const locatedBy = (options: ClientOptions): Located => {
  const prefix = prefixOf(options);
  const [, given] = Object.entries(options.headers ?? {}).find(([name]) => name.toLowerCase() === 'host') ?? [];
  const host = sentence(given ?? new URL(prefix).host);
  return (outcome, path, head) => {
    if (outcome.kind === 'ok') return outcome;
    // The path is ours, its query holds the tags.
    const url = sentence(publicUrl(prefix + path) ?? prefix);
    switch (outcome.kind) {
      case 'host-forbidden':
        return { ...outcome, url, host };
      case 'http-status':
        return { ...outcome, url, ...(head?.location !== undefined && { location: head.location }) };
      default:
        return { ...outcome, url };
    }
  };
};
