// Parses a request of /probe: target, module, deadline; or why it is invalid.

import type { Config } from '../config/types.ts';
import { nodeUrlFault } from '../protocol/node-url.ts';
import { unknownName } from '../text.ts';
import { type AllowList, type HostPort, type Permits, permitsOf, refusal } from './allowed.ts';

export type ProbeConfig = Config['probe'];
type ProbeModule = ProbeConfig['modules'][number];

export interface ProbeQuery {
  readonly kind: 'ok';
  /** The label `target`: as given, with a path shown as `/…`. */
  readonly target: string;
  readonly url: string;
  readonly place: HostPort;
  readonly module: ProbeModule;
  readonly list: AllowList;
  readonly permits: Permits;
  /** Time from the request to its response. */
  readonly deadlineMs: number;
  readonly debug: boolean;
}

export interface ProbeRefusal {
  readonly kind: 'refused';
  readonly status: 400 | 403 | 503;
  /** For people; without query, user or password. */
  readonly message: string;
}

const names: readonly string[] = ['target', 'module', 'debug'];

/** Timeouts in seconds: the default of Prometheus, if the request has no timeout, and the maximum. */
const defaultTimeout = 10;
const longestTimeout = 60;

export const probeQueryOf = (
  config: ProbeConfig,
  query: string,
  scrapeTimeout: string | undefined,
): ProbeQuery | ProbeRefusal => {
  const given = new URLSearchParams(query);
  const unknown = [...given.keys()].find((name) => !names.includes(name));
  if (unknown !== undefined) return probeRefusal(400, unknownName('parameter', unknown, names));
  for (const name of names) if (given.getAll(name).length > 1) return probeRefusal(400, `${name} is given more than once`);
  const debug = given.get('debug') ?? 'false';
  if (debug !== 'true' && debug !== 'false') return probeRefusal(400, 'debug must be true or false');
  // As in the blackbox_exporter, an empty module is the default one.
  const moduleName = given.get('module') || 'default';
  const module = config.modules.find(({ name }) => name === moduleName);
  if (module === undefined)
    return probeRefusal(
      400,
      `${unknownName(
        'module',
        moduleName,
        config.modules.map(({ name }) => name),
      )} (probe.modules)`,
    );
  const list = module.allow
    ? { setting: `probe.modules.${module.name}.allow`, entries: module.allow }
    : { setting: 'probe.allow', entries: config.allow };
  // With an empty list, no target is allowed, so its errors do not matter.
  if (list.entries.length === 0) return probeRefusal(403, refusal(list, { host: '', port: 0 }));

  const target = given.get('target') ?? '';
  if (target === '') return probeRefusal(400, 'target is missing: write /probe?target=10.0.0.5:9650');
  const url = /^[a-z][a-z0-9+.-]*:\/\//i.test(target) ? target : `${module.scheme}://${target}`;
  const fault = targetFault(target) ?? nodeUrlFault(url);
  if (fault !== undefined) return probeRefusal(400, `target ${fault}`);
  const deadlineMs = deadlineOf(scrapeTimeout, config.timeoutOffset);
  if (deadlineMs === undefined) return probeRefusal(400, 'X-Prometheus-Scrape-Timeout-Seconds is not a number of seconds');

  const place = placeOf(url);
  const permits = permitsOf(list, place);
  if (permits === undefined) return probeRefusal(403, refusal(list, place));
  return { kind: 'ok', target: withoutPath(target), url, place, module, list, permits, deadlineMs, debug: debug === 'true' };
};

export const probeRefusal = (status: ProbeRefusal['status'], message: string): ProbeRefusal => ({
  kind: 'refused',
  status,
  message,
});

/** URLs ignore some of these characters, but a label would show them. */
const targetFault = (target: string): string | undefined => {
  if (target.length > 2048) return 'is too long';
  return /[\s\p{Cc}]/u.test(target) ? 'contains a space or a control character' : undefined;
};

/** Replaces the path by `/…`. URLs treat a backslash as a slash, and ignore additional slashes before the host. */
const withoutPath = (target: string): string => {
  const [, scheme = '', rest = ''] = /^((?:[a-z][a-z0-9+.-]*:(?=\/\/))?[/\\]*)(.*)$/is.exec(target) ?? [];
  return scheme + rest.replace(/[/\\].+$/s, '/…');
};

/** A name, or an address without brackets. */
export const hostOf = (url: string): string => new URL(url).hostname.replace(/^\[|\]$/g, '');

const placeOf = (url: string): HostPort => {
  const { port, protocol } = new URL(url);
  const host = hostOf(url).replace(/\.$/, '');
  if (port !== '') return { host, port: Number(port) };
  return protocol === 'https:' ? { host, port: 443, defaultOf: 'https' } : { host, port: 80, defaultOf: 'http' };
};

/** As in the mysqld_exporter: an offset that leaves no time is ignored. */
const deadlineOf = (header: string | undefined, offset: number): number | undefined => {
  const timeout = Number(header || defaultTimeout);
  if (!(timeout > 0) || !Number.isFinite(timeout)) return undefined;
  const bounded = Math.min(timeout, longestTimeout);
  return Math.max(1, Math.round((bounded > offset ? bounded - offset : bounded) * 1000));
};
