// Cases of the alerts on missing targets and pods, missing shards of an expected number, and outdated injections.

import type { Fires, Quiet } from './case.ts';
import {
  beginning,
  hold,
  info,
  inTurn,
  losing,
  ready,
  type Series,
  scraped,
  scrapeLabels,
  until,
  well,
  where,
} from './series.ts';
import { moving } from './shard-worlds.ts';
import { all, fleetPod, inCluster, maintained } from './world-parts.ts';

const node = (steps: number, changes: Series): Series => scraped({ ...well(steps), ...changes });

const replicas = (many: number, steps: number): Series => ({
  'kube_statefulset_replicas{namespace="avalanche",statefulset="validator",instance="10.0.9.1:8080"}': hold(many, steps),
});

/** Samples every ten minutes. */
const injected = (outdated: string): Series => scraped({ ...well(200, 600), snowgauge_injection_outdated: outdated });

/** An exporter of two nodes is replaced, in a new pod, by one with only one of them. */
const replaced = (source: string, after: Series = {}): Series => {
  const [first, second] = [fleetPod('fleet-a', '10.0.0.8:9652'), fleetPod('fleet-b', '10.0.0.9:9652')];
  const seen = (name: string, steps: number): Series => ({
    ...well(steps),
    ...info(`http://${name}:9650`, `NodeID-${name}`, hold(1, steps), 'mainnet', source),
  });
  return all(
    ...['gone', 'stays'].map((name) => until(scraped(seen(name, 20), first, name), 20)),
    beginning(scraped({ ...seen('stays', 40), ...after }, second, 'stays'), 20),
  );
};

const goneOfFleet = {
  steps: 60,
  at: 32,
  soonerIn3: true,
  labels: { target: 'gone', pod: undefined, network: 'mainnet' },
  summary: 'Target gone is missing.',
  description:
    'gone was watched before, but the target and its exporter are gone: the pod was deleted, or its exporter does not start. If this is intended, open a maintenance window; the alert resolves by itself after 1h. Network: mainnet.',
} as const;

/** Another page follows that of the first cluster's exporter after 20 minutes. */
const twoFleets = (after: Series): Series =>
  all(scraped(until(well(20), 20), inCluster('a')), scraped(after, inCluster('a')), scraped(well(60), inCluster('b')));

export const presenceFires: readonly Fires[] = [
  {
    alert: 'SnowgaugeInjectionOutdated',
    title: 'the pod is a day older than the policy',
    series: injected(inTurn(hold(0, 5), hold(1, 195))),
    steps: 200,
    seconds: 600,
    at: 149,
    labels: { target: undefined },
    summary: 'Sidecar validator-0 is older than its injection policy.',
    description:
      'The policy that injected sidecar validator-0 has changed: the pod keeps the previous image or configuration until it is recreated.',
  },
  {
    alert: 'SnowgaugeTargetMissing',
    title: 'one of two pods is gone with its sidecar',
    series: { ...scraped(until(well(20), 20)), ...scraped(well(60), 1) },
    steps: 60,
    at: 32,
    soonerIn3: true,
    summary: 'Target node (validator-0) is missing.',
    description:
      'node (validator-0) was watched before, but the target and its exporter are gone: the pod was deleted, or its exporter does not start. If this is intended, open a maintenance window; the alert resolves by itself after 1h.',
  },
  {
    alert: 'SnowgaugeTargetMissing',
    title: 'a restarted exporter lacks a target of its file',
    series: replaced('configuration'),
    ...goneOfFleet,
  },
  {
    alert: 'SnowgaugeTargetMissing',
    title: 'a restarted exporter lacks a discovered target, and its source fails',
    series: replaced('file/0', { 'snowgauge_discovery_last_refresh_successful{source="file/0"}': hold(0, 40) }),
    ...goneOfFleet,
  },
  {
    alert: 'SnowgaugeTargetMissing',
    title: 'a restarted exporter lacks a discovered target, and some discovered targets are not watched',
    series: replaced('file/0', { 'snowgauge_discovery_dropped_targets{source="file/0",reason="refused"}': hold(1, 40) }),
    ...goneOfFleet,
  },
  {
    alert: 'SnowgaugeTargetMissing',
    title: 'a restarted exporter lacks a discovered target and its source',
    series: replaced('http/0'),
    ...goneOfFleet,
  },
  {
    alert: 'SnowgaugeTargetMissing',
    title: 'a shard with a discovered target is gone, and another shard has read the source',
    series: replaced('file/0', {
      'snowgauge_discovery_last_refresh_successful{source="file/0"}': hold(1, 40),
      'snowgauge_shard_info{statefulset="fleet",shard="0",total_shards="2"}': hold(1, 40),
      'snowgauge_shards{statefulset="fleet"}': hold(2, 40),
    }),
    ...goneOfFleet,
  },
  {
    alert: 'SnowgaugeTargetsTooFew',
    title: 'one of two expected targets is watched',
    set: ['expectedTargets=2'],
    series: node(30, {}),
    steps: 30,
    at: 15,
    labels: { target: undefined, pod: undefined },
    summary: 'Not all expected targets in avalanche are watched: only 1.',
    description: '1 of the expected targets in avalanche is watched: nodes have disappeared, or were never added.',
  },
  {
    alert: 'SnowgaugeTargetsTooFew',
    title: 'two targets of a StatefulSet with three replicas, and a scrape of kube-state-metrics is lost',
    series: { ...node(30, {}), ...scraped(well(30), 1), ...losing(replicas(3, 30), (step) => step === 8) },
    steps: 30,
    at: 15,
    labels: { target: undefined, pod: undefined, statefulset: 'validator' },
    summary: 'Not all expected targets in avalanche of validator are watched: only 2.',
    description: '2 of the expected targets in avalanche of validator are watched: nodes have disappeared, or were never added.',
  },
  {
    alert: 'SnowgaugeTargetsTooFew',
    title: 'a job has one of two expected targets',
    set: ['expectedJobs=rpc=1, snowgauge=2'],
    series: { ...node(30, {}), ...scraped(well(30), { job: 'rpc', namespace: 'avalanche', pod: 'rpc-0', instance: 'rpc' }) },
    steps: 30,
    at: 15,
    labels: { target: undefined, pod: undefined, job: 'snowgauge' },
    summary: 'Not all expected targets in avalanche of snowgauge are watched: only 1.',
    description: '1 of the expected targets in avalanche of snowgauge is watched: nodes have disappeared, or were never added.',
  },
  {
    alert: 'SnowgaugeTargetsTooFew',
    title: 'an expected job never existed',
    set: ['expectedJobs=rpc=1, snowgauge=1'],
    series: node(30, {}),
    steps: 30,
    at: 15,
    labels: { target: undefined, pod: undefined, namespace: undefined, job: 'rpc' },
    summary: 'Not all expected targets of rpc are watched: only 0.',
    description: '0 of the expected targets of rpc are watched: nodes have disappeared, or were never added.',
  },
  {
    alert: 'SnowgaugeTargetsTooFew',
    title: 'one of two targets with an expected tag set has it',
    set: ['expectedTagSets=my-l1=2,all=2'],
    series: {
      ...node(30, {}),
      ...scraped(
        where(
          well(30),
          (name) => !name.includes('my-l1'),
          (values) => values,
        ),
        1,
      ),
    },
    steps: 30,
    at: 15,
    labels: { target: undefined, pod: undefined, tag_set: 'my-l1' },
    summary: 'Not all expected targets in avalanche of my-l1 are watched: only 1.',
    description: '1 of the expected targets in avalanche of my-l1 is watched: nodes have disappeared, or were never added.',
  },
  {
    alert: 'SnowgaugeTargetsTooFew',
    title: 'one of two has been gone for more than an hour',
    set: ['expectedTargets=2'],
    series: { ...scraped(well(150, 55)), ...scraped(until(well(20, 55), 20), 1) },
    steps: 150,
    seconds: 55,
    at: 109,
    labels: { target: undefined, pod: undefined },
    summary: 'Not all expected targets in avalanche are watched: only 1.',
    description: '1 of the expected targets in avalanche is watched: nodes have disappeared, or were never added.',
  },
  {
    alert: 'SnowgaugeTargetsTooFew',
    title: 'the only target is removed from the configuration of a running exporter with lost scrapes',
    set: ['expectedTargets=1'],
    series: {
      ...scraped(until({ ...well(20), ...info('http://127.0.0.1:9650', '', hold(1, 20)) }, 20)),
      ...losing(
        scraped({
          up: hold(1, 60),
          'snowgauge_build_info{version="0.1.0"}': hold(1, 60),
          snowgauge_config_last_reload_successful: hold(1, 60),
        }),
        (step) => step > 27 && step % 9 === 3,
      ),
    },
    steps: 60,
    at: 35,
    labels: { target: undefined, pod: undefined },
    summary: 'Not all expected targets in avalanche are watched: only 0.',
    description: '0 of the expected targets in avalanche are watched: nodes have disappeared, or were never added.',
  },
  {
    alert: 'SnowgaugeTargetsTooFew',
    title: 'the last target of a job is gone, and another fleet has targets of that job',
    set: ['expectedJobs=snowgauge=1'],
    series: twoFleets({ up: hold(1, 60), 'snowgauge_build_info{version="0.1.0"}': hold(1, 60) }),
    steps: 60,
    at: 42,
    soonerIn3: true,
    labels: { target: undefined, pod: undefined, cluster: 'a', job: 'snowgauge' },
    summary: 'Not all expected targets in avalanche of snowgauge are watched: only 0.',
    description: '0 of the expected targets in avalanche of snowgauge are watched: nodes have disappeared, or were never added.',
  },
  {
    alert: 'SnowgaugeTargetsTooFew',
    title: 'the last target with a tag set is gone, another fleet has some, and scrapes are lost occasionally',
    set: ['expectedTagSets=my-l1=1'],
    series: twoFleets(
      losing(
        where(
          well(60),
          (name) => !name.includes('my-l1'),
          (values) => values,
        ),
        (step) => step > 20 && step % 9 === 8,
      ),
    ),
    steps: 60,
    at: 35,
    labels: { target: undefined, pod: undefined, cluster: 'a', tag_set: 'my-l1' },
    summary: 'Not all expected targets in avalanche of my-l1 are watched: only 0.',
    description: '0 of the expected targets in avalanche of my-l1 are watched: nodes have disappeared, or were never added.',
  },
];

export const presenceQuiet: readonly Quiet[] = [
  {
    alert: 'SnowgaugeTargetMissing',
    title: 'the pod is back after 9 minutes, with another address',
    series: {
      ...scraped(until(well(20), 20)),
      ...scraped(beginning(well(31), 29), { ...scrapeLabels(), instance: '10.0.7.7:9652' }),
      ...scraped(well(60), 1),
    },
    steps: 60,
  },
  {
    alert: 'SnowgaugeTargetMissing',
    title: 'the target is removed from the configuration of a running exporter',
    series: { ...scraped(until(well(20), 20), 0, 'removed'), ...node(60, {}) },
    steps: 60,
  },
  {
    alert: 'SnowgaugeTargetMissing',
    title: 'a restarted exporter lacks a target that its source no longer lists',
    series: replaced('file/0'),
    steps: 60,
  },
  {
    alert: 'SnowgaugeTargetMissing',
    title: 'a discovered target disappears from a running exporter',
    series: { ...until(replaced('file/0'), 20), ...scraped(well(60), fleetPod('fleet-a', '10.0.0.8:9652'), 'stays') },
    steps: 60,
  },
  {
    alert: 'SnowgaugeTargetsTooFew',
    title: 'the expected number of targets is watched',
    set: ['expectedTargets=2', 'expectedJobs=snowgauge=2', 'expectedTagSets=my-l1=2, all=2'],
    series: { ...node(60, {}), ...scraped(well(60), 1), ...replicas(2, 60) },
    steps: 60,
  },
  {
    alert: 'SnowgaugeTargetsTooFew',
    title: 'the expected number is watched by two shards together, and one target moves between them',
    set: ['expectedTargets=3', 'expectedJobs=snowgauge=3', 'expectedTagSets=my-l1=3, all=3'],
    series: moving,
    steps: 90,
  },
  {
    alert: 'SnowgaugeTargetMissing',
    title: 'a target moves to another shard',
    series: moving,
    steps: 90,
  },
  {
    alert: 'SnowgaugeTargetsTooFew',
    title: 'a StatefulSet starts its second pod once the first is ready, and that bootstraps',
    series: { ...node(60, ready(hold(0, 60))), ...replicas(2, 60) },
    steps: 60,
  },
  {
    alert: 'SnowgaugeTargetsTooFew',
    title: 'pods of another StatefulSet are not watched',
    series: {
      ...node(60, {}),
      'kube_statefulset_replicas{namespace="avalanche",statefulset="prometheus",instance="10.0.9.1:8080"}': hold(2, 60),
    },
    steps: 60,
  },
  {
    alert: 'SnowgaugeTargetsTooFew',
    title: 'the second target is away for 10 minutes',
    set: ['expectedTargets=2', 'expectedJobs=snowgauge=2', 'expectedTagSets=my-l1=2'],
    series: { ...node(60, {}), ...scraped(until(well(20), 20), 1), ...scraped(beginning(well(30), 30), 1, 'again') },
    steps: 60,
  },
  {
    alert: 'SnowgaugeTargetsTooFew',
    title: 'one of two targets has just gone: another alert fires',
    set: ['expectedTargets=2', 'expectedJobs=snowgauge=2', 'expectedTagSets=my-l1=2'],
    series: { ...node(60, {}), ...scraped(until(well(20), 20), 1), ...replicas(2, 60) },
    steps: 60,
  },
  {
    alert: 'SnowgaugeTargetsTooFew',
    title: 'one of two has been gone for hours, in maintenance',
    set: ['expectedTargets=2', 'expectedJobs=snowgauge=2', 'expectedTagSets=my-l1=2'],
    series: { ...node(180, {}), ...scraped(until({ ...well(20), ...maintained(10, 300, 20) }, 20), 1), ...replicas(2, 180) },
    steps: 180,
  },
  {
    alert: 'SnowgaugeTargetsTooFew',
    title: 'a whole fleet is gone, and another fleet has its job: another alert fires',
    set: ['expectedJobs=snowgauge=1', 'expectedTagSets=my-l1=1'],
    series: all(scraped(until(well(20), 20), inCluster('a')), scraped(well(180), inCluster('b'))),
    steps: 180,
  },
  {
    alert: 'SnowgaugeInjectionOutdated',
    title: 'the pod is recreated within a day',
    series: injected(inTurn(hold(0, 5), hold(1, 140), hold(0, 55))),
    steps: 200,
    seconds: 600,
  },
  {
    alert: 'SnowgaugeInjectionOutdated',
    title: 'the pod matches the policy',
    series: injected(hold(0, 200)),
    steps: 200,
    seconds: 600,
  },
];
