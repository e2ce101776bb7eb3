// What is refused while the process is overloaded, least needed first, so that polls, probes and alerts go on. Paths that are not
// here are always served: of one target, of the exporter, probes of the kubelet, service discovery, maintenance.

import { endsAfter } from '../watchdog/overload.ts';
import { refusedAtLevel, refusesProbes, type WatchdogState } from '../watchdog/watchdog.ts';
import { plainText, type Reply } from './reply.ts';

/** All but the last in the order of the levels that refuse them. */
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

/** `shed`: the reply in the place of what `target` would be, path and query, while that is refused. */
export const createShed = (watched: () => WatchdogState) => {
  let counts: ReadonlyMap<ShedKind, number> = new Map(shedKinds.map((kind) => [kind, 0]));
  const shed = (target: string): Reply | undefined => {
    const now = watched();
    if (now.level === 0) return undefined;
    const [path = '', query = ''] = target.split('?', 2);
    const kind = kinds.get(path);
    if (kind === undefined || !(kind === 'probe' ? refusesProbes(now) : shedKinds.indexOf(kind) < now.level)) return undefined;
    // Parts are what is left of scrapes.
    if (kind === 'scrape' && new URLSearchParams(query).has('target')) return undefined;
    counts = new Map(counts).set(kind, (counts.get(kind) ?? 0) + 1);
    const what = kind === 'probe' ? '/probe' : refusedAtLevel[now.level];
    return plainText(503, `overloaded, refusing ${what}: /readyz?verbose says why\n`, { 'Retry-After': `${endsAfter}` });
  };
  return {
    shed,
    /** Requests that were refused, and streams that were ended; another map when one more was. */
    counts: () => counts,
    total: (): number => [...counts.values()].reduce((sum, count) => sum + count, 0),
  };
};
