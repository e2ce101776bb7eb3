// What `serve` serves, from arguments and configuration: all its inputs, except for those of the process.

import type { TargetConfig } from '../config/target.ts';
import type { Config } from '../config/types.ts';
import type { PodAddress } from '../kubernetes/api.ts';
import type { Cluster } from '../kubernetes/exchange.ts';
import type { KeeperOptions } from '../kubernetes/keeper.ts';
import type { ShardSetting } from '../shards/shards.ts';
import type { ShardPace } from './sharding.ts';
import type { OpenedWeb } from './web-config.ts';

export interface Served extends Partial<Pick<Config, 'probes' | 'server' | 'stateDir' | 'maintenance' | 'metrics' | 'probe'>> {
  /** Source of the configuration, for people. */
  readonly source: string;
  readonly listen: { readonly host: string; readonly port: number; readonly externalAddress?: string };
  /** TLS, users and headers of the first listener. */
  readonly web?: OpenedWeb | undefined;
  /** Additional host names of the first listener, from the environment: those of Kubernetes objects. */
  readonly ownHosts?: readonly string[];
  readonly targets: readonly TargetConfig[];
  readonly discovery?: Config['discovery'];
  /** Address and credentials of the API server, for discovery. */
  readonly cluster?: Cluster;
  /** This process's share of the targets, if there are several shards. */
  readonly shard?: ShardSetting | undefined;
  readonly shardPace?: ShardPace;
  /** Folder in which the kubelet maintains the pod's annotations. */
  readonly podInfoDir?: string;
  /** Labels on the own pod, from the conditions of the first target. */
  readonly podLabels?: (KeeperOptions & PodAddress) | undefined;
  /** Whether the injection policy has changed since this sidecar was injected. Resolves to undefined if unknown. */
  readonly injectionOutdated?: (() => Promise<boolean | undefined>) | undefined;
}
