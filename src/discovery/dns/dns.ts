// Records of the DNS: SRV, or the addresses of a name such as that of a headless Service.

import { Resolver } from 'node:dns/promises';
import { candidates, readResolvConf } from '../../client/name-servers.ts';
import type { DnsConfig } from '../../config/discovery.ts';
import { pause } from '../../pause.ts';
import { codeOf } from '../../text.ts';
import type { DiscoveredTarget } from '../found.ts';
import type { RunSource, SourceContext } from '../source.ts';

/** What of the system's settings a look-up needs. */
export interface DnsSystem {
  readonly resolver: () => Resolver;
  /** What resolv.conf holds. */
  readonly resolvConf: () => Promise<string>;
}

const system: DnsSystem = {
  resolver: () => new Resolver({ timeout: 2000, tries: 2 }),
  resolvConf: readResolvConf,
};

export const runDns: RunSource<DnsConfig> = (config, context) => watchNames(config, context, system);

type Names = Pick<DnsConfig, 'names' | 'type' | 'port' | 'refreshInterval'>;

export const watchNames = async (
  config: Names,
  { update, signal }: Pick<SourceContext, 'update' | 'signal'>,
  { resolver, resolvConf }: DnsSystem,
): Promise<void> => {
  const known = new Map<string, { readonly key: string; readonly found: readonly DiscoveredTarget[] }>();
  let found: readonly DiscoveredTarget[] = [];
  while (!signal.aborted) {
    const asked = resolver();
    const cancel = (): void => asked.cancel();
    signal.addEventListener('abort', cancel, { once: true });
    const conf = await resolvConf();
    const faults: string[] = [];
    let isSame = true;
    for (const name of config.names) {
      try {
        const answered = await lookUp(asked, config.type, candidates(name, conf));
        // A headless Service scaled to zero is NXDOMAIN by the DNS specification of Kubernetes, as a name that is misspelt. What once
        // existed has no addresses now; dns_sd of Prometheus takes either for an empty list.
        if (answered === 'no-such-name' && !known.has(name)) {
          faults.push(`${name}: there is no such name (NXDOMAIN)`);
          continue;
        }
        const records = answered === 'no-such-name' ? [] : answered;
        const key = JSON.stringify(records);
        if (known.get(name)?.key === key) continue;
        known.set(name, { key, found: records.map((record) => foundOf(record, name, config.port)) });
        isSame = false;
      } catch (error) {
        faults.push(`${name}: ${codeOf(error)}`);
      }
    }
    signal.removeEventListener('abort', cancel);
    if (signal.aborted) break;
    if (!isSame) found = [...known.values()].flatMap((one) => one.found);
    update(faults.length === 0 ? { kind: 'ok', found } : { kind: 'failed', reason: faults.slice(0, 10).join('; '), found });
    await pause(config.refreshInterval, signal);
  }
};

interface DnsRecord {
  readonly host: string;
  /** Of an SRV record. */
  readonly port?: number;
}

/** Of the first name that has any; throws where one could not be looked up. */
const lookUp = async (
  resolver: Resolver,
  type: DnsConfig['type'],
  names: readonly string[],
): Promise<readonly DnsRecord[] | 'no-such-name'> => {
  let exists = false;
  for (const name of names) {
    try {
      const records = await recordsOf(resolver, type, name);
      exists = true;
      if (records.length > 0) return records.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
    } catch (error) {
      const code = codeOf(error);
      if (code !== 'ENOTFOUND' && code !== 'ENODATA') throw error;
      exists ||= code === 'ENODATA';
    }
  }
  return exists ? [] : 'no-such-name';
};

const recordsOf = async (resolver: Resolver, type: DnsConfig['type'], name: string): Promise<readonly DnsRecord[]> => {
  switch (type) {
    case 'SRV':
      // A target of `.` says that there is no such service (RFC 2782).
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
