// The table of all kinds of sources. Each is loaded on demand, if the configuration has one.

import type { DiscoveryConfig } from '../config/types.ts';
import { shownUrl } from '../protocol/node-url.ts';
import { matchesFilePattern } from './file/pattern.ts';
import type { DiscoveredTarget } from './found.ts';
import type { RunSource } from './source.ts';

const kinds = ['file', 'http', 'dns', 'kubernetes'] as const;
type DiscoveryKind = (typeof kinds)[number];

const loaders: { readonly [K in DiscoveryKind]: () => Promise<RunSource<DiscoveryConfig[K][number]>> } = {
  file: async () => (await import('./file/file.ts')).runFiles,
  http: async () => (await import('./http/http.ts')).runHttp,
  dns: async () => (await import('./dns/dns.ts')).runDns,
  kubernetes: async () => (await import('./kubernetes/pods.ts')).runPods,
};

/** What a source reads. A reload that changes other settings of an entry does not change it. */
const origins: { readonly [K in DiscoveryKind]: (entry: DiscoveryConfig[K][number]) => readonly string[] } = {
  file: ({ files }) => files,
  http: ({ url }) => [url],
  dns: ({ names }) => names,
  kubernetes: ({ namespaces }) => namespaces,
};

/** Label of a target that names the part of the source that it is from, and whether an entry has that part. */
const parts: {
  readonly [K in DiscoveryKind]: {
    readonly label: string;
    readonly has: (entry: DiscoveryConfig[K][number], part: string) => boolean;
  };
} = {
  file: {
    label: '__meta_filepath',
    has: ({ files }, file) => files.some((one) => one === file || matchesFilePattern(one, file)),
  },
  http: { label: '__meta_url', has: ({ url }, part) => part === shownUrl(url) },
  dns: { label: '__meta_dns_name', has: ({ names }, name) => names.includes(name) },
  kubernetes: { label: '__meta_kubernetes_namespace', has: ({ namespaces }, namespace) => namespaces.includes(namespace) },
};

/** One entry of the configuration, ready to run. */
export interface DiscoveryEntry {
  readonly kind: DiscoveryKind;
  /** Kind and position in the configuration, such as `file/0`. It is the value of the label `source`. */
  readonly source: string;
  /** The settings without relabelings, which are applied outside of the source. */
  readonly settings: unknown;
  /** Its files, its URL, its DNS names or its namespaces. */
  readonly origins: readonly string[];
  /** The file, DNS name or namespace that a target of this kind of source is from. */
  readonly partOf: (target: DiscoveredTarget) => string;
  /** Whether a target of a source of this kind is from this entry too. */
  readonly reads: (target: DiscoveredTarget) => boolean;
  readonly relabelings: DiscoveryConfig[DiscoveryKind][number]['relabelings'];
  readonly load: () => Promise<(context: Parameters<RunSource<never>>[1]) => Promise<void>>;
}

export const discoveryEntries = (config: DiscoveryConfig): readonly DiscoveryEntry[] =>
  kinds.flatMap((kind) => ofKind(kind, config[kind]));

const ofKind = <K extends DiscoveryKind>(kind: K, list: readonly DiscoveryConfig[K][number][]): readonly DiscoveryEntry[] =>
  list.map((entry, at) => {
    const { relabelings, ...settings } = entry;
    const load = async () => {
      const run: RunSource<DiscoveryConfig[K][number]> = await loaders[kind]();
      return (context: Parameters<RunSource<never>>[1]) => run(entry, context);
    };
    const { label, has } = parts[kind];
    const partOf = ({ labels }: DiscoveredTarget): string => labels.get(label) ?? '';
    const reads = (target: DiscoveredTarget): boolean => has(entry, partOf(target));
    return { kind, source: `${kind}/${at}`, settings, origins: origins[kind](entry), partOf, reads, relabelings, load };
  });
