// Which subnet each check of a report belongs to: what is asked next, and what an answer tells. Pure.
//
// A report does not say it. A check that is named by the id of its chain is placed by the P-Chain's list of blockchains. One that is named
// by an alias is looked for under the tags of subnets: an answer holds the checks of every tag that was asked for, so a whole group of
// subnets is one question, and a group that holds the check is halved. A check of no tag is in every answer.

import { primaryNetworkId } from '../../protocol/id.ts';
import type { Blockchain } from '../../protocol/platform.ts';
import { impossibleTag } from '../health/tags.ts';

/** A check of which the subnet is known. `name`: what the chain is called, where it is called something. */
export interface CheckSubnet {
  readonly check: string;
  readonly subnetId: string;
  /** A name of the operator's: an alias. */
  readonly alias?: string;
  /** A name that whoever created the chain gave it. */
  readonly chainName?: string;
}

/**
 * application: the checks of no tag are asked for · blockchains: the P-Chain is · subnets: groups of subnets are, until nothing is
 * open · ended
 */
export interface Search {
  readonly stage: 'application' | 'blockchains' | 'subnets' | 'ended';
  /** Exporter's clock. Absent: there was nothing to ask. */
  readonly begunAt?: number;
  /** Checks whose subnet is not known, in the order of their names: another set of them is another search. */
  readonly open: readonly string[];
  readonly placed: readonly CheckSubnet[];
  /** Checks of no tag. */
  readonly application: readonly string[];
  /** Subnets that may hold what is open; each group is one question. */
  readonly groups: readonly (readonly string[])[];
  /** Whether known subnets still exist is to be asked, too. */
  readonly verify: boolean;
  /** Those of them of which the P-Chain lists no blockchain. */
  readonly unlisted: readonly string[];
}

export type SearchQuestion = { readonly of: 'tags'; readonly tags: readonly string[] } | { readonly of: 'blockchains' };

/** Subnets in one question: its path stays below 4 KiB. */
const groupSize = 64;

/** Questions at once: as many groups; where one holds the check its halves, which are all that there is to know next. */
const atOnce = 8;
const halves = 2;

/** Most subnets that are searched: what a list holds beyond them is not looked at. */
const maxCandidates = 4096;

/** Most checks that are searched for at once. */
const maxOpen = 200;

/** The checks of these chains are called so on every node. */
const primaryChecks: ReadonlySet<string> = new Set(['P', 'X', 'C']);

/** `unknown`: checks of which nothing is known. */
export const beginSearch = (unknown: readonly string[], verify: boolean): Search => {
  const placed = unknown.filter((check) => primaryChecks.has(check)).map((check) => ({ check, subnetId: primaryNetworkId }));
  const open = unknown
    .filter((check) => !primaryChecks.has(check))
    .toSorted()
    .slice(0, maxOpen);
  const stage = open.length > 0 ? 'application' : afterApplication(open, verify);
  return { stage, open, placed, application: [], groups: [], verify, unlisted: [] };
};

/** The P-Chain is asked where there is something to ask it about. */
const afterApplication = (open: readonly string[], verify: boolean): Search['stage'] =>
  open.length > 0 || verify ? 'blockchains' : 'ended';

/** At most so many; none once it has ended. */
export const searchQuestions = ({ stage, groups }: Search, most: number): readonly SearchQuestion[] => {
  switch (stage) {
    case 'application':
      return [{ of: 'tags', tags: [impossibleTag] }];
    case 'blockchains':
      return [{ of: 'blockchains' }];
    case 'subnets':
      return groups
        .slice(0, Math.min(most, (groups[0]?.length ?? 0) < groupSize ? halves : atOnce))
        .map((tags) => ({ of: 'tags', tags }));
    case 'ended':
      return [];
    default:
      return stage satisfies never;
  }
};

/** `checks`: those of the report with these tags. */
export const observeTags = (search: Search, tags: readonly string[], checks: ReadonlySet<string>): Search => {
  const found = search.open.filter((check) => checks.has(check));
  if (search.stage === 'application') {
    const open = search.open.filter((check) => !checks.has(check));
    return { ...search, stage: afterApplication(open, search.verify), open, application: found };
  }
  const others = search.groups.filter((group) => group !== tags);
  if (found.length === 0) return ended({ ...search, groups: others });
  const [subnetId, second] = tags;
  if (subnetId === undefined || second !== undefined) {
    const half = Math.ceil(tags.length / 2);
    return { ...search, groups: [tags.slice(0, half), tags.slice(half), ...others] };
  }
  const placed = found.map((check): CheckSubnet => ({ check, subnetId, alias: check }));
  const open = search.open.filter((check) => !found.includes(check));
  return ended({ ...search, open, placed: [...search.placed, ...placed], groups: others });
};

const ended = (search: Search): Search =>
  search.open.length === 0 || search.groups.length === 0 ? { ...search, stage: 'ended', groups: [] } : search;

/** A tag set may be called by it, and a label of a pod by the tag set. */
const isSubnetId = (text: string): boolean => /^[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/.test(text);

/** `known`: subnets that were found before; they are searched first. */
export const observeBlockchains = (search: Search, answered: readonly Blockchain[], known: readonly string[]): Search => {
  const all = answered.filter(({ subnetId }) => isSubnetId(subnetId));
  const wanted = new Set(search.open);
  const placed = all
    .filter(({ id }) => wanted.has(id))
    .map(
      ({ id, subnetId, name }): CheckSubnet => ({
        check: id,
        subnetId,
        ...(name !== undefined && name !== id && { chainName: name }),
      }),
    );
  const byId = new Set(placed.map(({ check }) => check));
  const open = search.open.filter((check) => !byId.has(check));
  const listed = new Set([primaryNetworkId, ...all.map(({ subnetId }) => subnetId)]);
  // The P-Chain of a network that exists lists the X-Chain and the C-Chain.
  const unlisted = all.length === 0 ? [] : known.filter((id) => !listed.has(id));
  const first = known.filter((id) => listed.has(id));
  const others = [...listed].filter((id) => !first.includes(id)).slice(0, maxCandidates);
  const groups = [...grouped(first), ...grouped(others)];
  return ended({ ...search, stage: 'subnets', open, placed: [...search.placed, ...placed], groups, verify: false, unlisted });
};

const grouped = (ids: readonly string[]): readonly (readonly string[])[] =>
  Array.from({ length: Math.ceil(ids.length / groupSize) }, (_, at) => ids.slice(at * groupSize, (at + 1) * groupSize));
