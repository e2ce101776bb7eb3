// `--shard` and `--total-shards`, or `--pod` and `--pod-namespace`: this process's share of the targets.

import { type Command, Option } from 'commander';
import { maxShards } from '../shards/handover.ts';
import type { ShardSetting } from '../shards/shards.ts';
import type { ConfigError } from '../yaml/parse.ts';
import type { CommandContext } from './context.ts';

export interface ShardOptions {
  readonly shard?: string;
  readonly totalShards?: string;
  readonly pod?: string;
  readonly podNamespace?: string;
}

const variables = {
  shard: 'SNOWGAUGE_SHARD',
  totalShards: 'SNOWGAUGE_TOTAL_SHARDS',
  pod: 'SNOWGAUGE_POD',
  podNamespace: 'SNOWGAUGE_POD_NAMESPACE',
} as const;
const flags = { shard: '--shard', totalShards: '--total-shards', pod: '--pod', podNamespace: '--pod-namespace' } as const;
type Name = keyof typeof flags;

export const addShardOptions = (command: Command): Command =>
  command
    .addOption(new Option('--shard <i>', `number of this shard, from 0 (${variables.shard})`))
    .addOption(new Option('--total-shards <n>', `number of shards (${variables.totalShards})`))
    .addOption(
      new Option(
        '--pod <name>',
        `shard by StatefulSet: the ordinal of this pod is its shard, and the replicas are the number of shards (${variables.pod})`,
      ),
    )
    .addOption(new Option('--pod-namespace <namespace>', `namespace of that pod (${variables.podNamespace})`));

/** Undefined if this process watches all targets. Adds all errors. */
export const readShard = (options: ShardOptions, env: CommandContext['env'], errors: ConfigError[]): ShardSetting | undefined => {
  const given = (name: Name): string | undefined => options[name] ?? (env[variables[name]] || undefined);
  const refuse = (name: Name, message: string): undefined => {
    errors.push({ path: options[name] === undefined ? variables[name] : flags[name], message });
    return undefined;
  };
  const [shard, total, pod, namespace] = [given('shard'), given('totalShards'), given('pod'), given('podNamespace')];
  const isCounted = shard !== undefined || total !== undefined;
  if (pod !== undefined) {
    if (isCounted) return refuse('pod', 'cannot be combined with --shard');
    return podOf(pod, namespace, refuse);
  }
  if (options.podNamespace !== undefined) return refuse('podNamespace', 'has no effect without --pod');
  if (!isCounted) return undefined;
  const number = (name: Name, text: string | undefined, least: number): number | undefined => {
    if (text === undefined) {
      const isByFlag = options.shard !== undefined || options.totalShards !== undefined;
      errors.push({
        path: (isByFlag ? flags : variables)[name],
        message: 'is missing: --shard and --total-shards must be set together',
      });
      return undefined;
    }
    if (/^\d{1,4}$/.test(text) && Number(text) >= least && Number(text) <= maxShards) return Number(text);
    return refuse(name, `${JSON.stringify(text)} is not an integer from ${least} to ${maxShards}`);
  };
  const [at, of] = [number('shard', shard, 0), number('totalShards', total, 1)];
  if (at === undefined || of === undefined) return undefined;
  if (at >= of) return refuse('shard', `${at} is out of range: the last of ${of} shards is ${of - 1}`);
  return { kind: 'fixed', shard: at, total: of };
};

const podOf = (
  pod: string,
  namespace: string | undefined,
  refuse: (name: Name, message: string) => undefined,
): ShardSetting | undefined => {
  const [, name, ordinal] = /^([a-z0-9](?:[-a-z0-9.]{0,240}[a-z0-9])?)-(\d{1,6})$/.exec(pod) ?? [];
  if (name === undefined || ordinal === undefined)
    return refuse(
      'pod',
      `${JSON.stringify(pod.slice(0, 253))} is not a pod of a StatefulSet, whose names end with their ordinal, such as snowgauge-0`,
    );
  if (namespace === undefined) return refuse('podNamespace', 'is missing: take metadata.namespace from the downward API');
  if (!/^[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?$/.test(namespace)) return refuse('podNamespace', 'is not the name of a namespace');
  return { kind: 'pod', set: { namespace, name }, ordinal: Number(ordinal) };
};
