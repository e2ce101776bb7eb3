// The page of /metrics: in the format and encoding that the scraper asks for, of bytes that are kept for as long as they are true.

import type { Target } from '../conditions/condition.ts';
import { type Sources, sources } from '../sources/sources.ts';
import { createProcessMetrics } from './exposition.ts';
import { familiesOf } from './families.ts';
import { createFormatPage, type PageState, type RenderedPage } from './format-page.ts';
import { formatFor, gzipFor } from './negotiate.ts';
import type { Build } from './own.ts';

export type { PageState, RenderedPage } from './format-page.ts';

export interface MetricsPage {
  /** `now` in seconds; the two headers as they came. A promise only when something has to be rendered first. */
  readonly at: (
    state: PageState,
    now: number,
    accept: string | undefined,
    acceptEncoding: string | undefined,
  ) => RenderedPage | Promise<RenderedPage>;
  /** Makes what a target contributes now, in the formats that somebody scrapes; throws where that is not possible. */
  readonly prepare: (target: Target, now: number, wallOffset: number) => void;
}

/** Call it once: the process metrics' observers last as long as the process. */
export const createPage = (build: Build, table: Sources = sources): MetricsPage => {
  const processMetrics = createProcessMetrics();
  const formats = {
    text: createFormatPage('text', build, processMetrics, table),
    openmetrics: createFormatPage('openmetrics', build, processMetrics, table),
  };
  return {
    at: (state, now, accept, acceptEncoding) =>
      formats[formatFor(accept)].at(state, now, gzipFor(acceptEncoding) ? 'gzip' : 'plain'),
    prepare: (target, now, wallOffset) => {
      const scraped = Object.values(formats).filter((one) => one.prepare(target, now, wallOffset));
      // A family that cannot be made is a fault in this target's answer: it must not wait for the scrape of all.
      if (scraped.length === 0) familiesOf(table, target, now, wallOffset);
    },
  };
};
