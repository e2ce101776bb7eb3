// GET /api/v1/sd: every target as Prometheus's http_sd takes it, each with a scrape path of its own; and the exporter itself.

import type { Targets } from '../conditions/condition.ts';

interface ScrapeGroup {
  readonly targets: readonly [address: string];
  readonly labels: Readonly<Record<string, string>>;
}

/** A host and perhaps a port, as they stand in a Host header. */
const isAddress = (text: string): boolean => /^(?:[A-Za-z0-9._-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\])(?::\d{1,5})?$/.test(text);

/**
 * `address`: where Prometheus reaches this very process, as configured; else `host`, which is what it asked for. Undefined where that is no
 * address. The labels of a target stand on its series too: with honor_labels they are the same and none is renamed.
 */
export const scrapeGroups = (
  targets: Targets,
  { address, host = '' }: { readonly address: string | undefined; readonly host: string | undefined },
): readonly ScrapeGroup[] | undefined => {
  const at = address ?? host;
  if (!isAddress(at)) return undefined;
  const group = (path: string, labels: ScrapeGroup['labels']): ScrapeGroup => ({
    targets: [at],
    labels: { ...labels, __metrics_path__: path },
  });
  return [
    group('/exporter/metrics', {}),
    ...Array.from(targets, ([name, { state }]) => group(`/targets/${name}/metrics`, { ...state.options.labels, instance: name })),
  ];
};
