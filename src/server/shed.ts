// Load shedding: which requests are refused while the process is overloaded, the least important first, so that polls, probes and alerts
// continue. Other paths are always served: metrics of one target or of the exporter, kubelet probes, service discovery, maintenance.

import { endsAfter } from '../watchdog/overload.ts';
import { refusedAtLevel, refusesProbes, type WatchdogState } from '../watchdog/watchdog.ts';
import { plainText, type Reply } from './reply.ts';

/** In the order of the levels that refuse them. The last kind has its own rule. */
const shedKinds = ['events', 'page', 'scrape', 'probe'] as const;
type ShedKind = (typeof shedKinds)[number];

const kinds: ReadonlyMap<string, ShedKind> = new Map([
  ['/api/v1/events', 'events'],
  ['/', 'page'],
  ['/api/v1/fleet', 'page'],
  ['/api/v1/status', 'page'],
  ['/api/v1/history', 'page'],
  ['/metrics', 'scrape'],
  ['/probe', 'probe'],
]);

/** `shed`: the reply to a refused request; undefined: it is served. `target`: path and query. */
export const createShed = (watched: () => WatchdogState) => {
  let counts: ReadonlyMap<ShedKind, number> = new Map(shedKinds.map((kind) => [kind, 0]));
  const shed = (target: string): Reply | undefined => {
    const now = watched();
    if (now.level === 0) return undefined;
    const [path = '', query = ''] = target.split('?', 2);
    const kind = kinds.get(path);
    if (kind === undefined || !(kind === 'probe' ? refusesProbes(now) : shedKinds.indexOf(kind) < now.level)) return undefined;
    // Scrapes of single targets are still served.
    if (kind === 'scrape' && new URLSearchParams(query).has('target')) return undefined;
    counts = new Map(counts).set(kind, (counts.get(kind) ?? 0) + 1);
    const what = kind === 'probe' ? '/probe' : refusedAtLevel[now.level];
    return plainText(503, `overloaded, rejecting ${what}: /readyz?verbose says why\n`, { 'Retry-After': `${endsAfter}` });
  };
  return {
    shed,
    /** Refused requests and ended streams; a new map when one was added. */
    counts: () => counts,
    total: (): number => [...counts.values()].reduce((sum, count) => sum + count, 0),
  };
};
