// The kinds of sources, and nothing else names them all. Each is loaded where the configuration has one.

import type { DiscoveryConfig } from '../config/types.ts';
import type { RunSource } from './source.ts';

export const kinds = ['file', 'http', 'dns', 'kubernetes'] as const;
export type Kind = (typeof kinds)[number];

export const loaders: { readonly [K in Kind]: () => Promise<RunSource<DiscoveryConfig[K][number]>> } = {
  file: async () => (await import('./file/file.ts')).runFiles,
  http: async () => (await import('./http/http.ts')).runHttp,
  dns: async () => (await import('./dns/dns.ts')).runDns,
  kubernetes: async () => (await import('./kubernetes/pods.ts')).runPods,
};

/** One entry of the configuration, ready to run. */
export interface Wanted {
  /** As `file/0`: the label `source`. */
  readonly source: string;
  /** All but its relabelings, of which it knows nothing. */
  readonly settings: unknown;
  readonly relabelings: DiscoveryConfig[Kind][number]['relabelings'];
  readonly load: () => Promise<(context: Parameters<RunSource<never>>[1]) => Promise<void>>;
}

export const wantedOf = (config: DiscoveryConfig): readonly Wanted[] => kinds.flatMap((kind) => ofKind(kind, config[kind]));

const ofKind = <K extends Kind>(kind: K, list: readonly DiscoveryConfig[K][number][]): readonly Wanted[] =>
  list.map((entry, at) => {
    const { relabelings, ...settings } = entry;
    const load = async () => {
      const run: RunSource<DiscoveryConfig[K][number]> = await loaders[kind]();
      return (context: Parameters<RunSource<never>>[1]) => run(entry, context);
    };
    return { source: `${kind}/${at}`, settings, relabelings, load };
  });
