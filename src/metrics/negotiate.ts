// Content negotiation: the format by Accept, and gzip by Accept-Encoding.

import { type Accept, parseAccept } from 'hono/utils/accept';
import { greatest } from '../lists.ts';
import type { Format } from './text.ts';

const offersOf = (header = ''): readonly Accept[] => parseAccept(header.toLowerCase());

/** The highest q of the matching offers; 0 if none matches. */
const quality = (offers: readonly Accept[], takes: (offer: Accept) => boolean): number =>
  Math.max(0, greatest(offers.filter(takes).map(({ q }) => q)));

const versioned =
  (value: string, version: string) =>
  ({ type, params }: Accept): boolean =>
    type === value && (params.version ?? version) === version;

/** OpenMetrics if it is requested by name, with at least the q of text. Otherwise text, which every scraper can read. */
export const formatFor = (accept: string | undefined): Format => {
  const offers = offersOf(accept);
  const openmetrics = quality(offers, versioned('application/openmetrics-text', '1.0.0'));
  return openmetrics > 0 && openmetrics >= quality(offers, versioned('text/plain', '0.0.4')) ? 'openmetrics' : 'text';
};

const isGzip = ({ type }: Accept): boolean => type === 'gzip' || type === 'x-gzip';

/** True if gzip is accepted, with at least the q of identity. */
export const gzipFor = (acceptEncoding: string | undefined): boolean => {
  const offers = offersOf(acceptEncoding);
  const gzip = quality(offers, offers.some(isGzip) ? isGzip : ({ type }) => type === '*');
  return gzip > 0 && gzip >= quality(offers, ({ type }) => type === 'identity');
};
