// /livez and /readyz: the state of the exporter itself, part by part, like those of Kubernetes components. Never the state of the node,
// because an unready sidecar makes its pod unready.

import type { StateDirTally } from '../metrics/state-dir-families.ts';
import { shortened } from '../text.ts';
import { type Resource, refusedAtLevel, type WatchdogState } from '../watchdog/watchdog.ts';
import { plainText, type Reply } from './reply.ts';

/** Seconds without a tick of the scheduler after which it counts as dead. It ticks every second. */
const heartbeatLimit = 30;

export interface ExporterPart {
  readonly name: string;
  /** Why the part fails; absent if it passes. */
  readonly message?: string;
  /** A problem that does not make the probe fail. */
  readonly warning?: string;
}

export interface Vitals {
  /** When the scheduler last ticked; seconds, steady clock. */
  readonly lastTick: number;
  readonly stopping: boolean;
  /** Why the last reload failed, or which changed settings require a restart. Null: neither; undefined: no configuration is watched. */
  readonly configurationFault: string | null | undefined;
  /** Why a shard does not watch its targets yet. Null: it does; undefined: no shards. */
  readonly waitsFor: string | null | undefined;
  /** Which first lists of discovery are missing. Null: none; undefined: no discovery, or this process is a shard. */
  readonly lists: string | null | undefined;
  /** Undefined: no stateDir. */
  readonly stateDir: StateDirTally | undefined;
  /** Whether the process is overloaded; undefined: not measured. */
  readonly watched: WatchdogState | undefined;
}

// `ping` always passes: any response shows that the event loop runs.
const ping: ExporterPart = { name: 'ping' };

const poller = (vitals: Vitals, now: number): ExporterPart => {
  const age = now - vitals.lastTick;
  return age <= heartbeatLimit ? { name: 'poller' } : { name: 'poller', message: `no heartbeat for ${Math.round(age)} s` };
};

const shutdown = (vitals: Vitals): ExporterPart =>
  vitals.stopping ? { name: 'shutdown', message: 'the exporter is stopping' } : { name: 'shutdown' };

/** Only a warning: the exporter works as before with the previous configuration, but an unready one would watch nothing. */
const configuration = ({ configurationFault: fault }: Vitals): readonly ExporterPart[] => {
  if (fault === undefined) return [];
  return [{ name: 'configuration', ...(fault !== null && { warning: fault }) }];
};

/** Other shards assume that a ready shard watches its targets as soon as all are ready. */
const shard = ({ waitsFor }: Vitals): readonly ExporterPart[] =>
  waitsFor === undefined ? [] : [{ name: 'shard', ...(waitsFor !== null && { message: waitsFor }) }];

/** In a rolling update, the previous process still has the lists. */
const discovery = ({ lists }: Vitals): readonly ExporterPart[] =>
  lists === undefined ? [] : [{ name: 'discovery', ...(lists !== null && { message: lists }) }];

const remedies: Readonly<Record<Resource, (watched: WatchdogState) => string>> = {
  event_loop: ({ resources }) =>
    `late by ${resources.event_loop.value.toFixed(2)} s in the last second: give the exporter more CPU, fewer clients, or fewer targets (shards)`,
  heap: ({ reading: { live, heapLimit } }) =>
    `${Math.round((100 * (live?.bytes ?? 0)) / heapLimit)}% of ${Math.round(heapLimit / 2 ** 20)} MiB in use after garbage collection: raise the memory limit, or give the exporter fewer targets (shards)`,
};

/** Overload is only a warning: an unready or restarted exporter would watch nothing at all. */
const overload = ({ watched }: Vitals): readonly ExporterPart[] => {
  if (watched === undefined) return [];
  const part = (name: string, resource: Resource): ExporterPart => {
    const { level } = watched.resources[resource];
    if (level === 0) return { name };
    return { name, warning: `${remedies[resource](watched)}; rejecting ${refusedAtLevel[watched.level]}` };
  };
  return [part('event-loop', 'event_loop'), part('heap', 'heap')];
};

/** Only a warning: state that is not saved is only lost with a restart. */
const stateDir = ({ stateDir: known }: Vitals): readonly ExporterPart[] => {
  if (known === undefined) return [];
  const [file, ...others] = known.newer;
  const more = others.length === 0 ? '' : ` and ${others.length} more`;
  const newer =
    file === undefined ? undefined : `a newer snowgauge wrote ${shortened(file, 300)}${more}: neither read nor changed`;
  const warning = [known.fault, newer].filter((one) => one !== undefined).join('; ');
  return [{ name: 'state-dir', ...(warning !== '' && { warning }) }];
};

/** Parts whose failure a restart could fix. */
export const livenessParts = (vitals: Vitals, now: number): readonly ExporterPart[] => [ping, poller(vitals, now)];

/** Ready from the start: unknown states of nodes are shown as unknown, and are no reason to be unready. */
export const readinessParts = (vitals: Vitals, now: number): readonly ExporterPart[] => [
  ...livenessParts(vitals, now),
  ...configuration(vitals),
  ...shard(vitals),
  ...discovery(vitals),
  ...stateDir(vitals),
  ...overload(vitals),
  shutdown(vitals),
];

const line = ({ name, message, warning }: ExporterPart): string => {
  if (message !== undefined) return `[-]${name} failed: ${message}`;
  return warning === undefined ? `[+]${name} ok` : `[!]${name} ${warning}`;
};

/** Lists the parts if requested, and whenever one of them fails. */
export const probeReply = (check: string, parts: readonly ExporterPart[], verbose: boolean): Reply => {
  const passed = parts.every((part) => part.message === undefined);
  if (passed && !verbose) return plainText(200, 'ok\n');
  const summary = `${check} check ${passed ? 'passed' : 'failed'}`;
  return plainText(passed ? 200 : 503, `${[...parts.map(line), summary].join('\n')}\n`);
};
