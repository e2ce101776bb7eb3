// GET /api/v1/sd: all targets in the format of Prometheus's http_sd, each with its own scrape path, and the exporter itself.

import type { Targets } from '../conditions/condition.ts';
import type { FleetShards } from './shards.ts';

interface ScrapeGroup {
  readonly targets: readonly [address: string];
  readonly labels: Readonly<Record<string, string>>;
}

/** Host and optional port, as in a Host header. */
const isAddress = (text: string): boolean => /^(?:[A-Za-z0-9._-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\])(?::\d{1,5})?$/.test(text);

interface Asked {
  /** The Host header. */
  readonly host: string | undefined;
  /** The request used TLS, so scrapes must use it too. Otherwise, a proxy may still use TLS, so the scheme of the scrape job is kept. */
  readonly isSecure: boolean;
}

const groupsBy = (isSecure: boolean) => {
  const group = (address: string, path: string, labels: ScrapeGroup['labels']): ScrapeGroup => ({
    targets: [address],
    labels: { ...labels, ...(isSecure && { __scheme__: 'https' }), __metrics_path__: path },
  });
  return {
    /** Sets `instance`, because Prometheus may add a port to the address: it must be the same as `exporter_instance` of the targets. */
    ofExporter: (address: string): ScrapeGroup => group(address, '/exporter/metrics', { instance: address }),
    ofTarget: (address: string, name: string, labels: ScrapeGroup['labels']): ScrapeGroup =>
      group(address, `/targets/${name}/metrics`, { ...labels, instance: name, exporter_instance: address }),
  };
};

/**
 * `address`: the configured address of this process; otherwise `host` of the request is used. Undefined if that is not an address. Labels of
 * a target are on its series too: with honor_labels, none of them is renamed.
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

/** Targets of all shards with a known address, each at the shard that watches it. */
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
