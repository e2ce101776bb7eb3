// What the scraper takes: which format by Accept, and whether gzip by Accept-Encoding.

import type { Format } from './exposition.ts';

interface Offer {
  readonly value: string;
  readonly parameters: ReadonlyMap<string, string>;
  readonly q: number;
}

const unquoted = (text: string): string => text.replace(/^"(.*)"$/, '$1');

const offersOf = (header: string): readonly Offer[] =>
  header.split(',').map((item) => {
    const [value = '', ...rest] = item.split(';').map((part) => part.trim().toLowerCase());
    const parameters = new Map(
      rest.map((part): [string, string] => {
        const [key = '', text = ''] = part.split('=');
        return [key.trim(), unquoted(text.trim())];
      }),
    );
    const q = Number(parameters.get('q') ?? 1);
    return { value, parameters, q: q >= 0 && q <= 1 ? q : 1 };
  });

/** The best q of the offers that take it; 0 when none does. */
const quality = (offers: readonly Offer[], takes: (offer: Offer) => boolean): number =>
  Math.max(0, ...offers.filter(takes).map(({ q }) => q));

const versioned = (offer: Offer, value: string, version: string): boolean =>
  offer.value === value && (offer.parameters.get('version') ?? version) === version;

/** OpenMetrics where it is asked for by name and not less than text; else text, which everything that scrapes can read. */
export const formatFor = (accept: string | undefined): Format => {
  const offers = offersOf(accept ?? '');
  const openmetrics = quality(offers, (offer) => versioned(offer, 'application/openmetrics-text', '1.0.0'));
  const text = quality(offers, (offer) => versioned(offer, 'text/plain', '0.0.4'));
  return openmetrics > 0 && openmetrics >= text ? 'openmetrics' : 'text';
};

/** True where gzip is taken and not liked less than the plain bytes. */
export const gzipFor = (acceptEncoding: string | undefined): boolean => {
  const offers = offersOf(acceptEncoding ?? '');
  const named = offers.some(({ value }) => value === 'gzip' || value === 'x-gzip');
  const gzip = quality(offers, ({ value }) => (named ? value === 'gzip' || value === 'x-gzip' : value === '*'));
  return gzip > 0 && gzip >= quality(offers, ({ value }) => value === 'identity');
};
