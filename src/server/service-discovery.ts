// GET /api/v1/sd: every target as Prometheus's http_sd takes it, each with a scrape path of its own; and the exporter itself.

import type { Targets } from '../conditions/condition.ts';
import type { FleetShards } from './shards.ts';

interface ScrapeGroup {
  readonly targets: readonly [address: string];
  readonly labels: Readonly<Record<string, string>>;
}

/** A host and perhaps a port, as they stand in a Host header. */
const isAddress = (text: string): boolean => /^(?:[A-Za-z0-9._-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\])(?::\d{1,5})?$/.test(text);

interface Asked {
  /** The Host header. */
  readonly host: string | undefined;
  /** By TLS: each scrape is too. Where it is not, a proxy in front may speak it, and the scheme is that of the job. */
  readonly isSecure: boolean;
}

const groupsBy = (isSecure: boolean) => {
  const group = (address: string, path: string, labels: ScrapeGroup['labels']): ScrapeGroup => ({
    targets: [address],
    labels: { ...labels, ...(isSecure && { __scheme__: 'https' }), __metrics_path__: path },
  });
  return {
    /** Named, because Prometheus may add a port to the address: that of a target's exporter is to be the same. */
    ofExporter: (address: string): ScrapeGroup => group(address, '/exporter/metrics', { instance: address }),
    ofTarget: (address: string, name: string, labels: ScrapeGroup['labels']): ScrapeGroup =>
      group(address, `/targets/${name}/metrics`, { ...labels, instance: name, exporter_instance: address }),
  };
};

/**
 * `address`: where Prometheus reaches this very process, as configured; else `host`, which is what it asked for. Undefined where that is no
 * address. The labels of a target stand on its series too: with honor_labels they are the same and none is renamed.
 */
export const scrapeGroups = (
  targets: Targets,
  { address, host = '', isSecure }: Asked & { readonly address: string | undefined },
): readonly ScrapeGroup[] | undefined => {
  const at = address ?? host;
  if (!isAddress(at)) return undefined;
  const { ofExporter, ofTarget } = groupsBy(isSecure);
  return [ofExporter(at), ...Array.from(targets, ([name, { state }]) => ofTarget(at, name, state.options.labels))];
};

/** Of all shards, each target at the one that watches it; of those alone whose address is known. */
export const shardGroups = (
  { total = 0, shard: own, addressOf, ownerOf, targets }: FleetShards,
  { host = '', isSecure }: Asked,
): readonly ScrapeGroup[] | undefined => {
  const { ofExporter, ofTarget } = groupsBy(isSecure);
  const addresses = Array.from({ length: total }, (_, at) => addressOf(at) ?? (at === own ? host : undefined));
  if (addresses.some((one) => one !== undefined && !isAddress(one))) return undefined;
  return [
    ...addresses.flatMap((at) => (at === undefined ? [] : [ofExporter(at)])),
    ...targets.flatMap(({ name, labels }) => {
      const at = addresses[ownerOf(name) ?? -1];
      return at === undefined ? [] : [ofTarget(at, name, labels)];
    }),
  ];
};
