// Worlds about targets removed from the configuration, and about targets that are only away for a while.

import type { Situation } from './case.ts';
import { beginning, dip, hold, info, inTurn, losing, type Series, scraped, scrapeLabels, until, well, where } from './series.ts';
import { all, down, fleetPod, unready } from './world-parts.ts';

const steps = 60;
const [first, second] = [fleetPod('fleet-a', '10.0.0.8:9652'), fleetPod('fleet-b', '10.0.0.9:9652')];
const isOwn = (name: string): boolean => /^(?:up|process_|snowgauge_(?:build_info|config_|discovery_|event_history_))/.test(name);

/** The exporter's own series, without targets. */
const exporter = (by: Readonly<Record<string, string>>, changes: Series = {}): Series =>
  scraped({ ...where(well(steps), isOwn, (values) => values), ...changes }, by);

/** The series of a target on the exporter's page. */
const target = (name: string, node: Series, by: Readonly<Record<string, string>> = first, source = 'configuration'): Series => {
  const of = { ...node, ...info(`http://${name}:9650`, `NodeID-${name}`, hold(1, steps), 'mainnet', source) };
  return scraped(
    where(
      of,
      (key) => !isOwn(key),
      (values) => values,
    ),
    by,
    name,
  );
};

/** Missing from the page for seven minutes, longer than keep_firing_for. */
const away = (series: Series): Series =>
  all(
    until(series, 30),
    losing(series, (step) => step >= 30 && step < 37),
  );

const machineDies = scraped({ ...until(well(20), 20), up: inTurn(hold(1, 20), hold(0, 20), 'stale') });

const isDown = { 'TargetDown target': 1 };

export const removalWorlds: readonly Situation[] = [
  {
    title: 'a target that is down is removed from the configuration',
    series: all(exporter(first), target('stays', well(steps)), until(target('removed', down(steps, 20)), 22)),
    steps,
  },
  {
    title: 'a target is removed from the configuration while it fires',
    series: all(exporter(first), target('stays', well(steps)), until(target('removed', down(steps, 5)), 20)),
    steps: 28,
    fires: isDown,
    ends: {},
  },
  {
    title: 'a target that is down is removed from the configuration of one of two exporters, and then of the other',
    series: all(
      ...[first, second].map((by) => all(exporter(by), target('stays', well(steps), by))),
      until(target('removed', down(steps, 5), first), 30),
      until(target('removed', down(steps, 5), second), 40),
    ),
    steps,
    fires: isDown,
    ends: {},
    steady: true,
  },
  {
    title: 'a source of discovery lists nothing for seven minutes',
    series: all(exporter(first), away(target('a', { ...well(steps), ...unready(steps, 5) }, first, 'file/0'))),
    steps,
    fires: { 'ReadinessLost node': 1 },
    steady: true,
  },
  {
    title: 'an exporter restarts with an invalid configuration and watches nothing for seven minutes',
    series: all(
      exporter(first, { snowgauge_config_last_reload_successful: dip(1, 0, steps, 30, 7) }),
      away(scraped({ snowgauge_config_last_reload_success_timestamp_seconds: hold(0, steps) }, first)),
      away(target('a', { ...well(steps), ...unready(steps, 5) })),
    ),
    steps,
    fires: { 'ReadinessLost node': 1 },
    steady: true,
  },
  {
    title: 'a shard restarts and does not know the number of shards for seven minutes',
    series: all(
      exporter(first),
      away(scraped({ 'snowgauge_shard_info{shard="0",total_shards="2"}': hold(1, steps) }, first)),
      away(target('a', { ...well(steps), ...unready(steps, 5) })),
    ),
    steps,
    fires: { 'ReadinessLost node': 1 },
    steady: true,
  },
  {
    title: 'one scrape in nine of a target that is down is lost',
    series: losing(all(exporter(first), target('a', down(steps, 5))), (step) => step % 9 === 8),
    steps,
    fires: isDown,
    steady: true,
  },
  {
    title: 'a pod comes back with another address while its node is down',
    series: all(
      scraped(until({ ...down(steps, 5), ...info('http://127.0.0.1:9650', '', hold(1, steps)) }, 30)),
      scraped(beginning({ ...down(27, 0), ...info('http://127.0.0.1:9650', '', hold(1, 27)) }, 33), {
        ...scrapeLabels(),
        instance: '10.0.7.7:9652',
      }),
    ),
    steps,
    fires: isDown,
    steady: true,
  },
  {
    title: 'the machine of a pod dies, and after a while the pod is deleted',
    series: all(machineDies, ...[1, 2].map((other) => scraped(well(80), other))),
    steps: 80,
    fires: { 'ExporterDown exporter': 1 },
  },
  {
    title: 'the machine of a pod dies, and after a while the pod is deleted, without ExporterDown',
    without: ['SnowgaugeExporterDown'],
    series: all(machineDies, ...[1, 2].map((other) => scraped(well(80), other))),
    steps: 80,
    fires: { 'TargetMissing target': 1 },
  },
  {
    title: 'the machine of the only exporter of a fleet dies, and after a while its pod is deleted',
    series: machineDies,
    steps: 80,
    fires: { 'ExporterDown exporter': 1 },
  },
];
