// Which format and encoding a scraper gets, by what it sends.

import { expect, test } from 'vitest';
import { formatFor, gzipFor } from '../../src/metrics/negotiate.ts';

test.each([
  {
    client: 'Prometheus 2.42',
    accept:
      'application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1',
    format: 'openmetrics',
  },
  {
    client: 'Prometheus 3',
    accept:
      'application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.6,application/openmetrics-text;version=0.0.1;q=0.5,text/plain;version=1.0.0;escaping=allow-utf-8;q=0.4,text/plain;version=0.0.4;q=0.3,*/*;q=0.2',
    format: 'openmetrics',
  },
  {
    client: 'Prometheus 3 with protobuf first',
    accept:
      'application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=delimited;q=0.7,application/openmetrics-text;version=1.0.0;escaping=underscores;q=0.6,text/plain;version=0.0.4;q=0.4,*/*;q=0.2',
    format: 'openmetrics',
  },
  { client: 'Prometheus told to scrape text', accept: 'text/plain;version=0.0.4;q=0.5,*/*;q=0.1', format: 'text' },
  {
    client: 'a scraper that likes text better',
    accept: 'application/openmetrics-text;version=1.0.0;q=0.4,text/plain;q=0.9',
    format: 'text',
  },
  { client: 'a scraper of OpenMetrics before 1.0', accept: 'application/openmetrics-text;version=0.0.1', format: 'text' },
  { client: 'a scraper that refuses OpenMetrics', accept: 'application/openmetrics-text;q=0, */*', format: 'text' },
  { client: 'a scraper that quotes and shouts', accept: 'Application/OpenMetrics-Text; Version="1.0.0"', format: 'openmetrics' },
  { client: 'a browser', accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', format: 'text' },
  { client: 'curl', accept: '*/*', format: 'text' },
  { client: 'one that sends no Accept', accept: undefined, format: 'text' },
  { client: 'one that sends nonsense', accept: ';;,=;q=x,,', format: 'text' },
])('$client is given $format', ({ accept, format }) => {
  expect(formatFor(accept)).toBe(format);
});

test.each([
  { header: 'gzip', gzip: true },
  { header: 'gzip, deflate, br', gzip: true },
  { header: 'br;q=1.0, GZIP;q=0.5', gzip: true },
  { header: '*', gzip: true },
  { header: 'gzip;q=0', gzip: false },
  { header: 'gzip;q=0, *', gzip: false },
  { header: '*;q=0', gzip: false },
  { header: 'identity, gzip;q=0.5', gzip: false },
  { header: 'deflate', gzip: false },
  { header: '', gzip: false },
  { header: undefined, gzip: false },
])('Accept-Encoding $header: gzip is $gzip', ({ header, gzip }) => {
  expect(gzipFor(header)).toBe(gzip);
});
