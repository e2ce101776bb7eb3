// Checks whether the name servers respond for a name. Unlike getaddrinfo, these queries take no thread, and have a timeout.

import { Resolver } from 'node:dns/promises';
import { readFile } from 'node:fs/promises';
import { codeOf } from '../text.ts';

/** Applies `search` and `ndots` as the system's resolver does: a name with enough dots is tried as it is first. */
export const candidates = (name: string, resolvConf: string): readonly string[] => {
  if (name.endsWith('.')) return [name.slice(0, -1)];
  const lines = resolvConf.split('\n').map((line) => line.trim().split(/\s+/));
  const search = lines.findLast(([word]) => word === 'search')?.slice(1) ?? [];
  const option = lines
    .filter(([word]) => word === 'options')
    .flatMap((line) => line.map((one) => /^ndots:(\d+)$/.exec(one)?.[1] ?? []));
  const ndots = Number(option.flat().at(-1) ?? 1);
  const others = search.map((domain) => `${name}.${domain.replace(/\.$/, '')}`);
  return name.split('.').length > ndots ? [name, ...others] : [...others, name];
};

export const readResolvConf = (): Promise<string> => readFile('/etc/resolv.conf', 'utf8').catch(() => '');

/** Never rejects. Any response counts, even that the name does not exist: then getaddrinfo finds it in /etc/hosts, or fails soon. */
export const nameServersAnswer = async (
  host: string,
  resolver = new Resolver({ timeout: 1000, tries: 1 }),
  resolvConf: () => Promise<string> = readResolvConf,
): Promise<boolean> => {
  for (const name of candidates(host, await resolvConf())) {
    const found = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
    if (found.some((one) => one.status === 'rejected' && codeOf(one.reason) === 'ETIMEOUT')) return false;
    if (found.some((one) => one.status === 'fulfilled')) return true;
  }
  return true;
};
