// The subnets of a node, as far as they were found: how they are called, and when one is no longer the node's.

import { oneOrNone } from '../../lists.ts';
import { primaryNetworkId } from '../../protocol/id.ts';
import type { CheckSubnet } from './placement.ts';

export interface KnownSubnet {
  readonly id: string;
  /** Of its tag set: a DNS label, or the id. It stays as it is for as long as the subnet is known. */
  readonly name: string;
  /** Names of its checks. */
  readonly checks: readonly string[];
  /** Since when the node has run without any of them; exporter's clock. Absent: it has them, or does not run. */
  readonly absentSince?: number;
}

/** Most subnets that are known of a node: each is a request with each poll. */
export const maxSubnets = 50;

/** Most checks of one subnet that are known by name. */
const maxChecks = 50;

/**
 * Seconds for which a subnet stays known while the node runs without it: an alert that says so must be there long enough to be
 * seen by whoever comes to work in the morning.
 */
export const keptAbsent = 24 * 3600;

const primaryName = 'primary';

/** Of the Primary Network first, then in the order in which they were found. */
export const withPlaced = (known: readonly KnownSubnet[], placed: readonly CheckSubnet[]): readonly KnownSubnet[] => {
  const checksOf = (id: string): readonly string[] => placed.filter(({ subnetId }) => subnetId === id).map(({ check }) => check);
  const before = known.map((subnet) => {
    const added = checksOf(subnet.id).filter((check) => !subnet.checks.includes(check));
    return added.length === 0 ? subnet : { ...subnet, checks: [...subnet.checks, ...added].slice(-maxChecks) };
  });
  const names = new Set(before.map(({ name }) => name));
  const isKnown = new Set(before.map(({ id }) => id));
  // In the order of their ids: the same report gives the same names, whoever was asked first.
  const added = [...new Set(placed.map(({ subnetId }) => subnetId))]
    .filter((id) => !isKnown.has(id))
    .toSorted()
    .flatMap((id): readonly KnownSubnet[] => {
      const isFree = (name: string): boolean => !names.has(name) && (id === primaryNetworkId || !reserved.has(name));
      const name = [...nameCandidates(id, placed), id].find(isFree);
      // What a P-Chain gives as an id may be anything, also a name that is taken.
      if (name === undefined) return [];
      names.add(name);
      return [{ id, name, checks: checksOf(id).slice(0, maxChecks) }];
    });
  const next = [...before, ...added].slice(0, maxSubnets);
  return next.toSorted((a, b) => Number(b.id === primaryNetworkId) - Number(a.id === primaryNetworkId));
};

/**
 * An alias is the operator's own word. What a chain is called on the P-Chain is up to whoever created it, and many are called the
 * same: a part of the subnet's id goes with it, on every node the same.
 */
const nameCandidates = (id: string, placed: readonly CheckSubnet[]): readonly string[] => {
  if (id === primaryNetworkId) return [primaryName];
  const mark = id.slice(0, 6).toLowerCase();
  const own = placed.filter(({ subnetId }) => subnetId === id);
  const [alias] = own.flatMap((one) => labelOf(one.alias)).toSorted();
  const [name] = own.flatMap((one) => labelOf(one.chainName)).toSorted();
  return [...oneOrNone(alias), ...[alias, name].flatMap((one) => (one === undefined ? [] : `${one}-${mark}`))];
};

/** The whole node, the Primary Network, and a word of the configuration. */
const reserved: ReadonlySet<string> = new Set(['all', primaryName, 'auto']);

/** As a DNS label; nothing where nothing of it is left. */
const labelOf = (text = ''): readonly string[] => {
  const label = text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 48)
    .replace(/^-+|-+$/g, '');
  return label === '' ? [] : [label];
};

/** What one poll shows of them. */
export interface Presence {
  /** Names of all checks of the untagged report; undefined: none came. */
  readonly checks: ReadonlySet<string> | undefined;
  /** The node has bootstrapped, by its own readiness. */
  readonly isReady: boolean;
  /** Those that the P-Chain does not list. */
  readonly unlisted: readonly string[];
  readonly at: number;
}

/**
 * A node that does not answer, bootstraps or starts has no checks of its subnets either, and whoever watches them must hear of it then:
 * so one is only forgotten that the P-Chain does not list, or without which the node has run for long.
 */
export const followPresence = (
  known: readonly KnownSubnet[],
  { checks, isReady, unlisted, at }: Presence,
): readonly KnownSubnet[] =>
  known.flatMap((subnet): readonly KnownSubnet[] => {
    const { absentSince, ...rest } = subnet;
    const isAbsent = checks !== undefined && isReady && !subnet.checks.some((check) => checks.has(check));
    if (!isAbsent) return [absentSince === undefined ? subnet : rest];
    if (unlisted.includes(subnet.id) || at - (absentSince ?? at) >= keptAbsent) return [];
    return [absentSince === undefined ? { ...rest, absentSince: at } : subnet];
  });
