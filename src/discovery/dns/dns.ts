// Discovers targets by DNS: SRV records, or the addresses of a name such as a headless Service.

import { Resolver } from 'node:dns/promises';
import { candidates, readResolvConf } from '../../client/name-servers.ts';
import type { DnsConfig } from '../../config/discovery.ts';
import { pause } from '../../pause.ts';
import { codeOf } from '../../text.ts';
import { type DiscoveredTarget, partsOf } from '../found.ts';
import { nextRefresh, type RunSource, type SourceContext, shownReasons } from '../source.ts';

/** The system's resolver settings. */
interface DnsSystem {
  readonly resolver: () => Resolver;
  /** Content of resolv.conf. */
  readonly resolvConf: () => Promise<string>;
}

const system: DnsSystem = {
  resolver: () => new Resolver({ timeout: 2000, tries: 2 }),
  resolvConf: readResolvConf,
};

export const runDns: RunSource<DnsConfig> = (config, context) => watchNames(config, context, system);

/** Maximum number of names that are looked up at once. A name server that does not respond takes seconds for each. */
const maxLookups = 10;

type Names = Pick<DnsConfig, 'names' | 'type' | 'port' | 'refreshInterval'>;

/**
 * The last result for a configured name. `key`: the records as JSON. `of`: the name that had the records, with or without a search domain.
 */
interface Known {
  readonly key: string;
  readonly of: string | undefined;
  readonly found: readonly DiscoveredTarget[];
}

export const watchNames = async (
  config: Names,
  { update, signal, inherited = [] }: Pick<SourceContext, 'update' | 'signal' | 'inherited'>,
  { resolver, resolvConf }: DnsSystem,
): Promise<void> => {
  const names = [...new Set(config.names)];
  const before = partsOf(inherited, '__meta_dns_name');
  const known = new Map<string, Known>();
  for (const name of names) {
    const found = before.get(name);
    if (found !== undefined) known.set(name, { key: '', of: undefined, found });
  }
  const listOf = (): readonly DiscoveredTarget[] => names.flatMap((name) => known.get(name)?.found ?? []);
  let found = listOf();
  let failures = 0;
  let failedBefore: ReadonlySet<string> = new Set();
  while (!signal.aborted) {
    const asked = resolver();
    const cancel = (): void => asked.cancel();
    signal.addEventListener('abort', cancel, { once: true });
    const conf = await resolvConf();
    const faults = new Map<string, string>();
    let isSame = true;
    const refresh = async (name: string): Promise<void> => {
      try {
        const answered = await lookUp(asked, config.type, candidates(name, conf), known.get(name)?.of);
        // By the DNS specification of Kubernetes, a headless Service that is scaled to zero gives NXDOMAIN, like a misspelt name. If the
        // name existed before, it counts as an empty list. In dns_sd of Prometheus, both cases are an empty list.
        if (answered === 'no-such-name' && !known.has(name)) {
          faults.set(name, 'there is no such name (NXDOMAIN)');
          return;
        }
        const { records, of } = answered === 'no-such-name' ? nothing : answered;
        const key = JSON.stringify(records);
        if (known.get(name)?.key === key) return;
        known.set(name, { key, of, found: records.map((record) => foundOf(record, name, config.port)) });
        isSame = false;
      } catch (error) {
        faults.set(name, codeOf(error));
      }
    };
    const waiting = names.values();
    const refreshNext = async (): Promise<void> => {
      for (const name of waiting) {
        // `cancel` ends only the queries that are pending.
        if (signal.aborted) return;
        await refresh(name);
      }
    };
    await Promise.all(Array.from({ length: maxLookups }, refreshNext));
    signal.removeEventListener('abort', cancel);
    if (signal.aborted) break;
    if (!isSame) found = listOf();
    const failed = names.filter((name) => faults.has(name));
    const all = failed.map((name) => ({ reason: `${name}: ${faults.get(name)}`, isRepeated: failedBefore.has(name) }));
    const reason = shownReasons(all.map((one) => one.reason));
    update(all.length === 0 ? { kind: 'ok', found } : { kind: 'failed', reason, faults: all, found });
    failedBefore = new Set(failed);
    failures = failed.length === 0 ? 0 : failures + 1;
    await pause(nextRefresh(config.refreshInterval, failures), signal);
  }
};

interface DnsRecord {
  readonly host: string;
  /** Port of an SRV record. */
  readonly port?: number;
}

interface Answered {
  readonly records: readonly DnsRecord[];
  /** The name that has the records; undefined if no name has any. */
  readonly of: string | undefined;
}

const nothing: Answered = { records: [], of: undefined };

/**
 * Returns the records of the first name that has any. If a lookup fails with SERVFAIL or REFUSED, it tries the next names, and throws the
 * error if none of them has records. It throws other errors at once. It also throws at once if the failed name is `usual`, which had the
 * records so far: records of another name would belong to other targets.
 */
const lookUp = async (
  resolver: Resolver,
  type: DnsConfig['type'],
  names: readonly string[],
  usual: string | undefined,
): Promise<Answered | 'no-such-name'> => {
  let exists = false;
  const failures: unknown[] = [];
  for (const name of names) {
    try {
      const records = await recordsOf(resolver, type, name);
      exists = true;
      const sorted = records.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
      if (sorted.length > 0) return { records: sorted, of: name };
    } catch (error) {
      const code = codeOf(error);
      if (name !== usual && (code === 'ESERVFAIL' || code === 'EREFUSED')) failures.push(error);
      else if (code !== 'ENOTFOUND' && code !== 'ENODATA') throw error;
      exists ||= code === 'ENODATA';
    }
  }
  if (failures.length > 0) throw failures[0];
  return exists ? nothing : 'no-such-name';
};

const recordsOf = async (resolver: Resolver, type: DnsConfig['type'], name: string): Promise<readonly DnsRecord[]> => {
  switch (type) {
    case 'SRV':
      // The target `.` means that there is no such service (RFC 2782).
      return (await resolver.resolveSrv(name))
        .filter((record) => record.name !== '')
        .map((record) => ({ host: record.name, port: record.port }));
    case 'A':
      return (await resolver.resolve4(name)).map((host) => ({ host }));
    case 'AAAA':
      return (await resolver.resolve6(name)).map((host) => ({ host: `[${host}]` }));
    default:
      return type satisfies never;
  }
};

const foundOf = ({ host, port }: DnsRecord, name: string, usual: number): DiscoveredTarget => ({
  labels: new Map([
    ['__meta_dns_name', name],
    ...(port === undefined
      ? []
      : ([
          ['__meta_dns_srv_record_target', `${host}.`],
          ['__meta_dns_srv_record_port', String(port)],
        ] as const)),
    ['__address__', `${host}:${port ?? usual}`],
  ]),
});
