// Groups the watched validators by subnet, to find how many remain if one of them is taken down. This is done once for all judged nodes.

import type { Duty, WatchedNode } from './node.ts';

/** A node. Several targets may watch the same node. */
interface Member {
  readonly name: string;
  /** It certainly validates the subnet, and its network is known. */
  readonly isCertain: boolean;
  /** All of its targets are ready, and no maintenance window is open for it. */
  readonly isReady: boolean;
  readonly isBootstrapping: boolean;
  readonly isInMaintenance: boolean;
}

interface Group {
  /** By node key. */
  readonly members: ReadonlyMap<string, Member>;
  readonly ready: number;
  readonly uncertain: number;
  /** Node keys. */
  readonly bootstrapping: readonly string[];
  readonly notReady: readonly string[];
}

/** Network (empty if unknown) -> function that returns the group of a subnet. */
export type SubnetGroups = ReadonlyMap<string, (subnet: string) => Group>;

/** The validators of a subnet without one node: counts, and the names of the first few, created on demand. */
export interface OtherValidators {
  readonly total: number;
  readonly ready: number;
  /** Number of nodes for which it is not certain that they validate the subnet. */
  readonly uncertain: number;
  readonly bootstrapping: number;
  readonly names: (of: 'bootstrapping' | 'notReady') => readonly string[];
}

interface Network {
  /** Subnet -> node key -> member. */
  readonly subnets: Map<string, Map<string, Member>>;
  /** Nodes for which not all subnets are known. */
  readonly open: WatchedNode[];
}

export const subnetGroupsOf = (nodes: readonly WatchedNode[]): SubnetGroups => {
  const networks = new Map<string, Network>();
  /** Keys of nodes for which one of the targets knows all subnets. */
  const settled = new Set<string>();
  for (const node of withNetworks(nodes)) {
    const { subnets, open } = entryOf(networks, node.network ?? '', () => ({ subnets: new Map(), open: [] }));
    if (node.mayValidateAllBut === undefined) settled.add(node.key);
    else open.push(node);
    for (const duty of node.duties) {
      const members = entryOf(subnets, duty.subnet, () => new Map<string, Member>());
      members.set(node.key, joined(members.get(node.key), memberOf(node, duty)));
    }
  }
  return new Map(
    Array.from(networks, ([network, { subnets, open }]) => {
      const unsettled = open.filter(({ key }) => !settled.has(key));
      const groups = new Map<string, Group>();
      // Created on demand, because each of thousands of starting nodes may be in each subnet.
      const groupOf = (subnet: string): Group =>
        entryOf(groups, subnet, () => counted(withOpen(subnets.get(subnet) ?? new Map(), unsettled, subnet)));
      return [network, groupOf];
    }),
  );
};

/** If only some targets of a node know its network, the others get it from them. Otherwise, the node would count twice. */
const withNetworks = (nodes: readonly WatchedNode[]): readonly WatchedNode[] => {
  /** Node key -> network. Undefined if its targets disagree. */
  const known = new Map<string, string | undefined>();
  for (const { key, network } of nodes) {
    if (network !== undefined) known.set(key, known.has(key) && known.get(key) !== network ? undefined : network);
  }
  return nodes.map((node) => {
    const network = node.network === undefined ? known.get(node.key) : undefined;
    return network === undefined ? node : { ...node, network };
  });
};

/** Adds the nodes that may validate the subnet. */
const withOpen = (
  members: ReadonlyMap<string, Member>,
  open: readonly WatchedNode[],
  subnet: string,
): ReadonlyMap<string, Member> => {
  const all = new Map(members);
  for (const node of open)
    if (node.mayValidateAllBut?.has(subnet) === false && !all.has(node.key)) all.set(node.key, memberOf(node, mayBe));
  return all;
};

const mayBe = { isCertain: false, isReady: false, isBootstrapping: false };

const entryOf = <T>(map: Map<string, T>, key: string, make: () => T): T => {
  const found = map.get(key);
  if (found !== undefined) return found;
  const created = make();
  map.set(key, created);
  return created;
};

const memberOf = ({ name, network, maintenance }: WatchedNode, duty: Omit<Duty, 'subnet' | 'name'>): Member => {
  const isInMaintenance = maintenance?.isOwn === true;
  const isCertain = duty.isCertain && network !== undefined;
  return {
    name,
    isCertain,
    isReady: isCertain && duty.isReady && !isInMaintenance,
    isBootstrapping: duty.isBootstrapping,
    isInMaintenance,
  };
};

const joined = (before: Member | undefined, one: Member): Member =>
  before === undefined
    ? one
    : {
        name: before.name,
        isCertain: before.isCertain || one.isCertain,
        isReady: before.isReady && one.isReady,
        isBootstrapping: before.isBootstrapping || one.isBootstrapping,
        isInMaintenance: before.isInMaintenance || one.isInMaintenance,
      };

const counted = (members: ReadonlyMap<string, Member>): Group => {
  const bootstrapping: string[] = [];
  const notReady: string[] = [];
  let uncertain = 0;
  for (const [key, member] of members) {
    if (member.isBootstrapping) bootstrapping.push(key);
    if (!member.isReady) notReady.push(key);
    if (!member.isCertain) uncertain += 1;
  }
  return { members, ready: members.size - notReady.length, uncertain, bootstrapping, notReady };
};

const maxNamed = 3;

/** Includes nodes of unknown networks: they may be in this one. */
export const othersOf = (groups: SubnetGroups, { key, network = '' }: WatchedNode, subnet: string): OtherValidators => {
  const found: Group[] = [];
  for (const one of network === '' ? [''] : [network, '']) {
    const group = groups.get(one)?.(subnet);
    if (group !== undefined) found.push(group);
  }
  let [total, ready, uncertain, bootstrapping] = [0, 0, 0, 0];
  for (const group of found) {
    const own = group.members.get(key);
    total += group.members.size - (own === undefined ? 0 : 1);
    ready += group.ready - (own?.isReady === true ? 1 : 0);
    uncertain += group.uncertain - (own?.isCertain === false ? 1 : 0);
    bootstrapping += group.bootstrapping.length - (own?.isBootstrapping === true ? 1 : 0);
  }
  const names: OtherValidators['names'] = (of) =>
    found.flatMap((group) => firstOthers(group[of], key).map((one) => wordsOf(group.members.get(one)))).slice(0, maxNamed);
  return { total, ready, uncertain, bootstrapping, names };
};

const wordsOf = (member: Member | undefined): string =>
  `${member?.name ?? ''}${member?.isInMaintenance === true ? ' (in maintenance)' : ''}`;

/** Only reads the beginning of the list, which may be long. */
const firstOthers = (keys: readonly string[], own: string): readonly string[] =>
  keys.slice(0, maxNamed + 1).filter((key) => key !== own);
