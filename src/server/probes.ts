// /livez and /readyz: the exporter's own state, part by part as Kubernetes' own servers list it; never the node's, because an
// unready sidecar makes its pod unready.

import type { StateDirTally } from '../metrics/state-dir-families.ts';
import { shortened } from '../text.ts';
import { type Resource, refusedAtLevel, type WatchdogState } from '../watchdog/watchdog.ts';
import { plainText, type Reply } from './reply.ts';

/** Seconds without a heartbeat of the poller after which it is taken for dead. It beats every second. */
const heartbeatLimit = 30;

export interface ExporterPart {
  readonly name: string;
  /** Absent while the part passes. */
  readonly message?: string;
  /** Something to mend that makes nothing fail. */
  readonly warning?: string;
}

export interface Vitals {
  /** When the scheduler last ticked; seconds, steady clock. */
  readonly lastTick: number;
  readonly stopping: boolean;
  /** Why the configuration in force is not what its source says; null while it is, absent where none is watched. */
  readonly configurationFault?: string | null;
  /** Why a shard does not watch its share yet; null once it does, absent where there are no shards. */
  readonly waitsFor?: string | null;
  /** Which first lists of discovery are missing; null once none is waited for, absent where nothing is discovered, or of a shard. */
  readonly lists?: string | null;
  /** Absent where there is none. */
  readonly stateDir?: StateDirTally;
  /** Whether the process keeps up; absent where nobody looks. */
  readonly watched?: WatchdogState;
}

// That this is answered at all is what `ping` says: the event loop turns.
const ping: ExporterPart = { name: 'ping' };

const poller = (vitals: Vitals, now: number): ExporterPart => {
  const age = now - vitals.lastTick;
  return age <= heartbeatLimit ? { name: 'poller' } : { name: 'poller', message: `no heartbeat for ${Math.round(age)} s` };
};

const shutdown = (vitals: Vitals): ExporterPart =>
  vitals.stopping ? { name: 'shutdown', message: 'the exporter is stopping' } : { name: 'shutdown' };

/** With a configuration of before it goes on as well as it did: who takes it out of service loses what it watches. */
const configuration = ({ configurationFault: fault }: Vitals): readonly ExporterPart[] => {
  if (fault === undefined) return [];
  return [{ name: 'configuration', ...(fault !== null && { warning: fault }) }];
};

/** Ready is what the other shards take for watching. */
const shard = ({ waitsFor }: Vitals): readonly ExporterPart[] =>
  waitsFor === undefined ? [] : [{ name: 'shard', ...(waitsFor !== null && { message: waitsFor }) }];

/** The process that it replaces in a rolling update has them. */
const discovery = ({ lists }: Vitals): readonly ExporterPart[] =>
  lists === undefined ? [] : [{ name: 'discovery', ...(lists !== null && { message: lists }) }];

const remedies: Readonly<Record<Resource, (watched: WatchdogState) => string>> = {
  event_loop: ({ resources }) =>
    `late by ${resources.event_loop.value.toFixed(2)} s in the last second: give the exporter more CPU, fewer clients, or fewer targets (shards)`,
  heap: ({ reading: { live, heapLimit } }) =>
    `${Math.round((100 * (live?.bytes ?? 0)) / heapLimit)}% of ${Math.round(heapLimit / 2 ** 20)} MiB in use after garbage collection: raise the memory limit, or give the exporter fewer targets (shards)`,
};

/** Overload is a warning: unready or restarted, the exporter would watch nothing at all. */
const overload = ({ watched }: Vitals): readonly ExporterPart[] => {
  if (watched === undefined) return [];
  const part = (name: string, resource: Resource): ExporterPart => {
    const { level } = watched.resources[resource];
    if (level === 0) return { name };
    return { name, warning: `${remedies[resource](watched)}; refusing ${refusedAtLevel[watched.level]}` };
  };
  return [part('event-loop', 'event_loop'), part('heap', 'heap')];
};

/** What is not kept is known all the same, until a restart. */
const stateDir = ({ stateDir: known }: Vitals): readonly ExporterPart[] => {
  if (known === undefined) return [];
  const [file, ...others] = known.newer;
  const more = others.length === 0 ? '' : ` and ${others.length} more`;
  const newer =
    file === undefined ? undefined : `a newer snowgauge wrote ${shortened(file, 300)}${more}: neither read nor changed`;
  const warning = [known.fault, newer].filter((one) => one !== undefined).join('; ');
  return [{ name: 'state-dir', ...(warning !== '' && { warning }) }];
};

/** A restart would help where one of these fails. */
export const livenessParts = (vitals: Vitals, now: number): readonly ExporterPart[] => [ping, poller(vitals, now)];

/** Ready from the first answer on: what is not known yet of a node is on the page as such, and no reason to hide it. */
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

/** Lists the parts when asked to, and always when one of them fails. */
export const probeReply = (check: string, parts: readonly ExporterPart[], verbose: boolean): Reply => {
  const passed = parts.every((part) => part.message === undefined);
  if (passed && !verbose) return plainText(200, 'ok\n');
  const summary = `${check} check ${passed ? 'passed' : 'failed'}`;
  return plainText(passed ? 200 : 503, `${[...parts.map(line), summary].join('\n')}\n`);
};
