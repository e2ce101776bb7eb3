// The page of /metrics in the format and encoding that the scraper accepts, complete or a part of it.

import type { Target } from '../conditions/condition.ts';
import { type Sources, sources } from '../sources/sources.ts';
import { createContributions } from './contributions.ts';
import { createProcessMetrics } from './exposition.ts';
import { createFormatPage, type PageState, type RenderedPage, type Selection } from './format-page.ts';
import { type Chosen, layoutOf } from './layout.ts';
import { formatFor, gzipFor } from './negotiate.ts';
import type { Build } from './own.ts';

export type { PageState, RenderedPage, Selection } from './format-page.ts';

export interface MetricsPage {
  /** `now`: seconds. `accept`, `acceptEncoding`: the request headers. A promise only if something must be rendered first. */
  readonly at: (
    state: PageState,
    now: number,
    accept: string | undefined,
    acceptEncoding: string | undefined,
    selection?: Selection,
  ) => RenderedPage | Promise<RenderedPage>;
  /** Changes which families are exported. */
  readonly choose: (chosen: Chosen) => void;
  /** Renders the samples of a target; throws if that is not possible. */
  readonly prepare: (target: Target, now: number, wallOffset: number) => void;
}

/** Call it once: the observers of process metrics are never stopped. */
export const createPage = (build: Build, table: Sources = sources, chosen: Chosen = () => true): MetricsPage => {
  const processMetrics = createProcessMetrics();
  const pageOf = (of: Chosen) => {
    const layout = layoutOf(table, of);
    const contributions = createContributions(layout);
    const parts = { build, layout, chosen: of, contributions, processMetrics };
    return { contributions, text: createFormatPage('text', parts), openmetrics: createFormatPage('openmetrics', parts) };
  };
  let page = pageOf(chosen);
  return {
    at: (state, now, accept, acceptEncoding, selection) => {
      const ofFormat = page[formatFor(accept)];
      const encoding = gzipFor(acceptEncoding) ? 'gzip' : 'plain';
      return selection === undefined ? ofFormat.at(state, now, encoding) : ofFormat.part(state, now, encoding, selection);
    },
    choose: (of) => {
      page = pageOf(of);
    },
    prepare: (target, now, wallOffset) => void page.contributions.of(target, now, wallOffset),
  };
};
