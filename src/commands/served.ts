// What is served, out of arguments and configuration: all that `serve` is given beside the process.

import type { TargetConfig } from '../config/target.ts';
import type { Config } from '../config/types.ts';
import type { PodAddress } from '../kubernetes/api.ts';
import type { Cluster } from '../kubernetes/exchange.ts';
import type { KeeperOptions } from '../kubernetes/keeper.ts';
import type { ShardSetting } from '../shards/shards.ts';
import type { ShardPace } from './sharding.ts';
import type { OpenedWeb } from './web-config.ts';

export interface Served extends Partial<Pick<Config, 'probes' | 'server' | 'stateDir' | 'maintenance' | 'metrics' | 'probe'>> {
  /** Where the configuration is from, for a person. */
  readonly source: string;
  readonly listen: { readonly host: string; readonly port: number; readonly externalAddress?: string };
  /** TLS, users and headers of the first listener. */
  readonly web?: OpenedWeb | undefined;
  /** Host names of it that the environment gives: those of the objects of Kubernetes. */
  readonly ownHosts?: readonly string[];
  readonly targets: readonly TargetConfig[];
  readonly discovery?: Config['discovery'];
  /** Address and credentials of the API server, for discovery. */
  readonly cluster?: Cluster;
  /** Which share of the targets it watches, where others watch the rest. */
  readonly shard?: ShardSetting | undefined;
  readonly shardPace?: ShardPace;
  /** Where the kubelet keeps annotations of the pod. */
  readonly podInfoDir?: string;
  /** Labels on the own pod, for the conditions of the first target. */
  readonly podLabels?: (KeeperOptions & PodAddress) | undefined;
  /** Whether the policy that injected this sidecar has changed since; resolves to undefined where nobody knows. */
  readonly injectionOutdated?: (() => Promise<boolean | undefined>) | undefined;
}
