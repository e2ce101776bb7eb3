// The table of all kinds of sources. Each is loaded on demand, if the configuration has one.

import type { DiscoveryConfig } from '../config/types.ts';
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

/** One entry of the configuration, ready to run. */
export interface DiscoveryEntry {
  readonly kind: DiscoveryKind;
  /** Kind and position in the configuration, such as `file/0`. It is the value of the label `source`. */
  readonly source: string;
  /** The settings without relabelings, which are applied outside of the source. */
  readonly settings: unknown;
  /** Its files, its URL, its DNS names or its namespaces. */
  readonly origins: readonly string[];
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
    return { kind, source: `${kind}/${at}`, settings, origins: origins[kind](entry), relabelings, load };
  });
