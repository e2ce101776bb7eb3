// Names in the configuration change while a real kubelet probes them.

import { expect, test } from 'vitest';
import type { Cluster } from '../../support/cluster/cluster.ts';
import { until } from '../../support/until.ts';
import { target as anyTarget, container, neverRestarted, podOf } from './pods.ts';
import { install, isReady, makeSpace, type Space } from './release.ts';

const timeout = 600_000;
const names = ['drill-snowgauge-0', 'drill-snowgauge-1'];
/** An unknown name fails every probe; a busy machine that delays responses for seconds fails only some in a row. */
const readiness = { periodSeconds: 1, failureThreshold: 10 };
/** Seconds after which a failure of every probe would have had consequences. */
const enough = 20;

/** A busy machine may delay a node for more than three intervals of a second; only an unknown name may make a pod unready. */
const target = (more: object) => anyTarget({ staleAfter: 60, frozenAfter: 60, ...more });

/** Two pods that share an existing ConfigMap. */
const shared = { node: { healthCheckFrequency: '1s' }, replicas: names.length, configObject: { existing: 'mine' } };
const configMap = (one: object): object => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'mine' },
  data: { 'snowgauge.yaml': JSON.stringify({ targets: [one] }) },
});

/** Times since which the pods are ready; they change if a pod was unready meanwhile. */
const readySince = async (space: Space): Promise<string> => {
  const path = '{range .items[*]}{.metadata.name} {.status.conditions[?(@.type=="Ready")]}{"\\n"}{end}';
  const lines = (await space.kubectl('get', 'pods', `--output=jsonpath=${path}`)).trim().split('\n');
  return lines.map((line) => line.replace(/"(?:lastProbeTime|observedGeneration)":[^,}]*,?/g, '')).join('\n');
};

/** The same, once all are ready. */
const readyPodsSince = (space: Space): Promise<string> =>
  until('the pods are ready', async () => {
    const since = await readySince(space);
    return since.match(/"status":"True"/g)?.length === names.length && since;
  });

/** Waits until all sidecars have the target, or the tag set, of that name. */
const haveLoaded = (space: Space, name: string): Promise<boolean> =>
  until(`all have ${name}`, async () => {
    const said = await Promise.all(names.map(async (pod) => space.ask(await podOf(space, pod), 9652, '/api/v1/status')));
    return said.every(({ body }) => body.includes(`"${name}"`));
  });

const passed = async (seconds: number): Promise<void> => {
  const since = Date.now();
  await until(`${seconds} s have passed`, async () => Date.now() - since > seconds * 1000);
};

export const renamedSuite = (cluster: () => Cluster): void => {
  const row = (title: string, namespace: string, run: (space: Space) => Promise<void>): void => {
    test.concurrent(title, { timeout }, async (context) => run(await makeSpace(context, cluster(), namespace)));
  };

  row(
    'renamed: a target renamed in the ConfigMap of two pods makes none unready and restarts nothing',
    'renamed-target',
    async (space) => {
      await cluster().apply(space.namespace, configMap(target({ name: 'before' })));
      const probe = { enabled: true, source: 'snowgauge', timeoutSeconds: 1, ...readiness };
      // Gives the sidecar time to start.
      const startup = { ...probe, failureThreshold: 120 };
      await install(space, cluster(), 'drill', {
        ...shared,
        allowUnsafe: true,
        nodeProbes: { readiness, startup, liveness: probe, mayRestartHealthyNodes: true },
      });
      // As in a pod with hand-written probes: paths with the name of the target.
      const at = '/spec/template/spec/containers/0';
      const asks = { readinessProbe: 'readyz', livenessProbe: 'livez' };
      const patch = Object.entries(asks).map(([probe, path]) => ({
        op: 'replace',
        path: `${at}/${probe}/httpGet/path`,
        value: `/targets/before/${path}`,
      }));
      await space.kubectl('patch', 'statefulset', 'drill-snowgauge', '--type=json', `--patch=${JSON.stringify(patch)}`);
      await space.kubectl('rollout', 'status', 'statefulset/drill-snowgauge', '--timeout=300s');
      const since = await readyPodsSince(space);
      await cluster().apply(space.namespace, configMap(target({ name: 'after' })));
      await haveLoaded(space, 'after');
      await passed(enough);
      expect(await readySince(space)).toBe(since);
      for (const name of names) {
        const pod = await podOf(space, name);
        for (const one of ['node', 'snowgauge']) neverRestarted(container(pod, one));
        const { body } = await space.ask(pod, 9652, '/metrics');
        expect(body).not.toContain('target="before"');
        expect(Number(/^snowgauge_removed_target_probes_total (\d+)$/m.exec(body)?.[1])).toBeGreaterThan(10);
        expect((await space.ask(pod, 9652, '/self/readyz')).status).toBe(200);
      }
    },
  );

  row(
    'renamed: a tag set renamed by helm upgrade always leaves at least one of two pods ready',
    'renamed-tag-set',
    async (space) => {
      // The whole node is never ready, so ready pods prove that the probe asks for the tag set.
      const scenario = { subnets: [{ name: 'never', chains: [{ vmMissing: true }] }] };
      const configure = (name: string): Promise<unknown> =>
        cluster().apply(
          space.namespace,
          configMap(target({ tagSets: [{ name, tags: ['11111111111111111111111111111111LpoYY'] }] })),
        );
      const upgrade = (asked: string, ...args: readonly string[]): Promise<void> => {
        const nodeProbes = { readiness: { ...readiness, tagSet: asked } };
        return install(space, cluster(), 'drill', { ...shared, node: { ...shared.node, scenario }, nodeProbes }, ...args);
      };
      await configure('one');
      await upgrade('one', '--wait');
      expect((await space.ask(await podOf(space, 'drill-snowgauge-0'), 9652, '/self/readyz')).status).toBe(503);
      const counts: number[] = [];
      /** Conditions of the pods when none was ready. */
      const none: string[] = [];
      let isOver = false;
      const counting = until('it is over', async () => {
        const pods = await space.pods();
        const count = pods.filter(isReady).length;
        counts.push(count);
        if (count === 0) none.push(JSON.stringify(pods.map(({ metadata: { name }, status }) => [name, status.conditions])));
        return isOver;
      });
      const since = await readyPodsSince(space);
      // The configuration changes before the template.
      await configure('two');
      await haveLoaded(space, 'two');
      await passed(enough);
      expect(await readySince(space)).toBe(since);
      await upgrade('two', '--wait');
      // The template changes first: the new pod is not ready, and the other one is not replaced.
      await upgrade('three');
      await until('a new pod asks for what is not configured', async () => {
        const pod = await podOf(space, 'drill-snowgauge-1');
        return JSON.stringify(pod.spec).includes('/self/readyz/three') && (await space.ask(pod, 9652, '/readyz')).status === 200;
      });
      await configure('three');
      await upgrade('three', '--wait');
      isOver = true;
      await counting;
      console.log(
        `cluster: of two pods, least ready in upgrades that rename a tag set: ${Math.min(...counts)} (${counts.length} looks)`,
      );
      expect(none).toEqual([]);
      expect(counts.length).toBeGreaterThan(10);
      await until('all are ready', async () => (await space.pods()).filter(isReady).length === names.length);
    },
  );
};
