// Subnets found on a node: how they are named, and when they are forgotten.

import { oneOrNone } from '../../lists.ts';
import { primaryNetworkId } from '../../protocol/id.ts';
import type { CheckSubnet } from './placement.ts';

export interface KnownSubnet {
  readonly id: string;
  /** Name of its tag set: a DNS label, or the id. Constant while the subnet is known. */
  readonly name: string;
  /** Names of its checks. */
  readonly checks: readonly string[];
  /** Since when the node runs without any of them; exporter's clock. Undefined if it has one, or does not run. */
  readonly absentSince?: number;
}

/** Maximum subnets per node: each costs one request per poll. */
export const maxSubnets = 50;

/** Maximum check names kept per subnet. */
const maxChecks = 50;

/**
 * Seconds for which a subnet stays known while the node runs without it. Long enough that an alert about it is still active when
 * people start work in the morning.
 */
export const keptAbsent = 24 * 3600;

const primaryName = 'primary';

/** Adds the new subnets. The Primary Network is first, others follow as found. */
export const withPlaced = (known: readonly KnownSubnet[], placed: readonly CheckSubnet[]): readonly KnownSubnet[] => {
  const checksOf = (id: string): readonly string[] => placed.filter(({ subnetId }) => subnetId === id).map(({ check }) => check);
  const before = known.map((subnet) => {
    const added = checksOf(subnet.id).filter((check) => !subnet.checks.includes(check));
    return added.length === 0 ? subnet : { ...subnet, checks: [...subnet.checks, ...added].slice(-maxChecks) };
  });
  const names = new Set(before.map(({ name }) => name));
  const isKnown = new Set(before.map(({ id }) => id));
  // Sorted by id: the same report gives the same names, in whatever order they were found.
  const added = [...new Set(placed.map(({ subnetId }) => subnetId))]
    .filter((id) => !isKnown.has(id))
    .toSorted()
    .flatMap((id): readonly KnownSubnet[] => {
      const isFree = (name: string): boolean => !names.has(name) && (id === primaryNetworkId || !reserved.has(name));
      const name = [...nameCandidates(id, placed), id].find(isFree);
      // The P-Chain may return anything as an id, even a name that is taken.
      if (name === undefined) return [];
      names.add(name);
      return [{ id, name, checks: checksOf(id).slice(0, maxChecks) }];
    });
  const next = [...before, ...added].slice(0, maxSubnets);
  return next.toSorted((a, b) => Number(b.id === primaryNetworkId) - Number(a.id === primaryNetworkId));
};

/**
 * An alias is chosen by the operator. The chain's name on the P-Chain is chosen by its creator, and many chains have the same, so
 * a part of the subnet's id is appended, identical on every node.
 */
const nameCandidates = (id: string, placed: readonly CheckSubnet[]): readonly string[] => {
  if (id === primaryNetworkId) return [primaryName];
  const mark = id.slice(0, 6).toLowerCase();
  const own = placed.filter(({ subnetId }) => subnetId === id);
  const [alias] = own.flatMap((one) => labelOf(one.alias)).toSorted();
  const [name] = own.flatMap((one) => labelOf(one.chainName)).toSorted();
  return [...oneOrNone(alias), ...[alias, name].flatMap((one) => (one === undefined ? [] : `${one}-${mark}`))];
};

/** The whole node, the Primary Network, and a configuration keyword. */
const reserved: ReadonlySet<string> = new Set(['all', primaryName, 'auto']);

/** Text as a DNS label; empty if nothing is left. */
const labelOf = (text = ''): readonly string[] => {
  const label = text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 48)
    .replace(/^-+|-+$/g, '');
  return label === '' ? [] : [label];
};

/** Results of one poll. */
export interface Presence {
  /** Names of all checks in the untagged report. Undefined without one. */
  readonly checks: ReadonlySet<string> | undefined;
  /** The node has bootstrapped, by its readiness. */
  readonly isReady: boolean;
  /** Subnets that the P-Chain does not list. */
  readonly unlisted: readonly string[];
  readonly at: number;
}

/**
 * A node that does not respond, bootstraps or starts has no checks of its subnets either, and alerts must still cover them then. So a
 * subnet is only forgotten if the P-Chain does not list it, or if the node has run without it for long.
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
