// Content negotiation: format and encoding by the headers of the scraper.

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
  { client: 'Prometheus configured for the text format', accept: 'text/plain;version=0.0.4;q=0.5,*/*;q=0.1', format: 'text' },
  {
    client: 'a scraper that prefers text',
    accept: 'application/openmetrics-text;version=1.0.0;q=0.4,text/plain;q=0.9',
    format: 'text',
  },
  { client: 'a scraper of OpenMetrics before 1.0', accept: 'application/openmetrics-text;version=0.0.1', format: 'text' },
  { client: 'a scraper that excludes OpenMetrics', accept: 'application/openmetrics-text;q=0, */*', format: 'text' },
  {
    client: 'a scraper with quotes and capital letters',
    accept: 'Application/OpenMetrics-Text; Version="1.0.0"',
    format: 'openmetrics',
  },
  { client: 'a browser', accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', format: 'text' },
  { client: 'curl', accept: '*/*', format: 'text' },
  { client: 'a client without an Accept header', accept: undefined, format: 'text' },
  { client: 'a client with a malformed Accept header', accept: ';;,=;q=x,,', format: 'text' },
])('$client gets $format', ({ accept, format }) => {
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
