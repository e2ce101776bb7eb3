// Thirty nodes on three shards, scaled to four and back, while pods and a namespace are added and removed. Samples every second from the
// pages of all shards which shard watches which node.

import { setTimeout as wait } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { type Cluster, image } from '../../support/cluster/cluster.ts';
import { until } from '../../support/until.ts';
import { install, makeSpace, type Pod, type Space } from './release.ts';
import type { Row } from './table.ts';

/** Check interval in seconds. */
const interval = 15;

/** `at` in seconds. `watchers`: for each target, the shards that watch it, and whether they have a fresh report of it. */
interface Sample {
  readonly at: number;
  readonly watchers: ReadonlyMap<string, readonly { readonly shard: string; readonly isUp: boolean }[]>;
}

type Watchers = readonly { readonly isUp: boolean }[];

/** Longest time in seconds between two samples in which `is` holds for the target. */
const longestWithout = (samples: readonly Sample[], target: string, is: (watchers: Watchers) => boolean): number => {
  const times = samples.filter(({ watchers }) => is(watchers.get(target) ?? [])).map(({ at }) => at);
  const [from = 0, to = 0] = [samples[0]?.at, samples.at(-1)?.at];
  return Math.max(...[...times, to].map((at, nth) => at - (times[nth - 1] ?? from)));
};

const restricted = {
  allowPrivilegeEscalation: false,
  runAsNonRoot: true,
  capabilities: { drop: ['ALL'] },
  seccompProfile: { type: 'RuntimeDefault' },
};

const nodes = (replicas: number) => ({
  apiVersion: 'apps/v1',
  kind: 'StatefulSet',
  metadata: { name: 'node' },
  spec: {
    replicas,
    serviceName: 'node',
    podManagementPolicy: 'Parallel',
    selector: { matchLabels: { app: 'node' } },
    template: {
      metadata: { labels: { app: 'node' } },
      spec: {
        terminationGracePeriodSeconds: 1,
        containers: [
          {
            name: 'node',
            image: `${image.repository}:${image.tag}`,
            imagePullPolicy: 'Never',
            args: ['node', '--http-host=0.0.0.0', '--http-allowed-hosts=*', `--health-check-frequency=${interval}s`],
            ports: [{ containerPort: 9650 }],
            securityContext: restricted,
          },
        ],
      },
    },
  },
});

const shardOf = ({ metadata: { name } }: Pod): string => name.replace('fleet-snowgauge-', '');

/** Undefined if a shard did not respond in time on a busy machine, so that this second is unknown. */
const sampled = async (space: Space): Promise<Sample | undefined> => {
  const pods = (await space.pods()).filter(({ metadata, status }) => /^fleet-snowgauge-\d$/.test(metadata.name) && status.podIP);
  const watchers = new Map<string, { shard: string; isUp: boolean }[]>();
  const begun = Date.now();
  await Promise.all(
    pods.map(async (pod) => {
      // A starting or ending shard refuses connections and watches nothing.
      const { body } = await space.ask(pod, 9652, '/metrics?name[]=snowgauge_up').catch(() => ({ body: '' }));
      for (const [, target = '', value] of body.matchAll(/^snowgauge_up\{[^}]*target="([^"]+)"[^}]*\} (\d)$/gm)) {
        const known = watchers.get(target) ?? [];
        known.push({ shard: shardOf(pod), isUp: value === '1' });
        watchers.set(target, known);
      }
    }),
  );
  const took = Date.now() - begun;
  return took > 3000 ? undefined : { at: (begun + took / 2) / 1000, watchers };
};

export const shardsSuite = (cluster: () => Cluster, tell: (row: Row) => void): void => {
  test('thirty nodes on three shards, scaled to four and back, are unwatched for two check intervals at most, and watched twice for one', {
    timeout: 1_800_000,
  }, async (context) => {
    const many = await makeSpace(context, cluster(), 'shards-nodes');
    const more = await makeSpace(context, cluster(), 'shards-more');
    const space = await makeSpace(context, cluster(), 'shards');
    await cluster().apply(many.namespace, nodes(30));
    await cluster().apply(more.namespace, nodes(2));
    await many.kubectl('rollout', 'status', 'statefulset/node', '--timeout=390s');
    await more.kubectl('rollout', 'status', 'statefulset/node', '--timeout=390s');
    const fleet = (shards: number, ...namespaces: readonly string[]): Promise<void> => {
      const discovery = { target: { healthCheckFrequency: `${interval}s`, timeout: '5s' }, kubernetes: [{ namespaces }] };
      return install(space, cluster(), 'fleet', { mode: 'fleet', shards, config: { discovery } }, '--wait');
    };
    await fleet(3, many.namespace);

    const samples: Sample[] = [];
    const stop = new AbortController();
    const sampling = (async () => {
      while (!stop.signal.aborted) {
        const one = await sampled(space).catch(() => undefined);
        if (one !== undefined) samples.push(one);
        await wait(1000);
      }
    })();
    /** Waits for this number of targets, each up at exactly one shard, and this number of shards with targets. */
    const shared = (targets: number, shards: number): Promise<Sample> =>
      until(`${targets} targets, each watched by one of ${shards} shards`, async () => {
        const last = samples.at(-1);
        const all = [...(last?.watchers.values() ?? [])];
        const alone = all.filter((watchers) => watchers.length === 1 && watchers[0]?.isUp === true);
        const of = new Set(all.flat().map(({ shard }) => shard));
        return alone.length === targets && all.length === targets && of.size === shards && last;
      });
    const ownerIn = ({ watchers }: Sample, target: string): string | undefined => watchers.get(target)?.[0]?.shard;

    const before = await shared(30, 3);
    const begun = before.at;
    await space.kubectl('scale', 'statefulset/fleet-snowgauge', '--replicas=4');
    const grown = await shared(30, 4);
    const moved = [...grown.watchers.keys()].filter((name) => ownerIn(grown, name) !== ownerIn(before, name));
    expect(new Set(moved.map((name) => ownerIn(grown, name)))).toEqual(new Set(['3']));

    // A node that comes back at another address stays at its shard. Samples of it while it is down are not judged.
    const away = `${many.namespace}.node-7`;
    const uid = async (pods: Space, name: string) =>
      (await pods.pods()).find(({ metadata }) => metadata.name === name)?.metadata.uid;
    const recreated = async (pods: Space, name: string): Promise<void> => {
      const was = await uid(pods, name);
      await pods.kubectl('delete', 'pod', name);
      await until(`${name} is there again`, async () => ![was, undefined].includes(await uid(pods, name)));
    };
    await recreated(many, 'node-7');
    expect(ownerIn(await shared(30, 4), away)).toBe(ownerIn(grown, away));

    await recreated(space, 'fleet-snowgauge-1');
    await shared(30, 4);
    await fleet(4, many.namespace, more.namespace);
    const all = await shared(32, 4);
    await space.kubectl('scale', 'statefulset/fleet-snowgauge', '--replicas=3');
    const last = await shared(32, 3);
    for (const name of before.watchers.keys()) expect(ownerIn(last, name), name).toBe(ownerIn(before, name));

    // Any shard lists the addresses of the others under their DNS names.
    const pod = await space.pod('fleet-snowgauge-0');
    const groups: readonly { readonly targets: readonly string[]; readonly labels: Readonly<Record<string, string>> }[] =
      pod === undefined ? [] : JSON.parse((await space.ask(pod, 9652, '/api/v1/sd')).body);
    for (const name of all.watchers.keys())
      expect(groups.find(({ labels }) => labels.instance === name)?.targets).toEqual([
        `fleet-snowgauge-${ownerIn(last, name)}.fleet-snowgauge-pods.${space.namespace}.svc:9652`,
      ]);

    stop.abort();
    await sampling;
    const judged = [...before.watchers.keys()].filter((name) => name !== away);
    const since = samples.filter(({ at }) => at >= begun);
    const most = (is: (watchers: Watchers) => boolean): number =>
      Math.max(...judged.map((name) => longestWithout(since, name, is)));
    const unwatched = most((watchers) => watchers.some(({ isUp }) => isUp));
    const twice = most((watchers) => watchers.length < 2);
    tell({
      what: `30 nodes on 3, 4, 3 shards at a check interval of ${interval} s, ${since.length} samples`,
      seen: `unwatched for at most ${unwatched.toFixed(1)} s, watched twice for at most ${twice.toFixed(1)} s; ${moved.length} moved`,
    });
    expect(unwatched).toBeLessThanOrEqual(2 * interval);
    expect(since.some(({ watchers }) => judged.some((name) => (watchers.get(name)?.length ?? 0) > 1))).toBe(true);
    expect(twice).toBeLessThanOrEqual(interval);
  });
};
