// Finds the subnet of each check of a report: decides on the next requests, and applies their responses. Pure.
//
// A report does not contain the subnets. A check whose name is the id of a chain is found in the P-Chain's list of blockchains. A check
// whose name is an alias is found by binary search over the tags of subnets: a report has the checks of all requested tags, so one
// request covers a group of subnets, and a group with the check is halved. Checks without a tag are in every report.

import { primaryNetworkId } from '../../protocol/id.ts';
import type { Blockchain } from '../../protocol/platform.ts';
import { impossibleTag } from '../health/tags.ts';

/** A check whose subnet is known, with the name of the chain if it has one. */
export interface CheckSubnet {
  readonly check: string;
  readonly subnetId: string;
  /** An alias, which the operator has chosen. */
  readonly alias?: string;
  /** The name that the creator of the chain has chosen. */
  readonly chainName?: string;
}

/**
 * The next request. application: the checks without a tag · blockchains: the list of the P-Chain · subnets: groups of subnets, until no
 * check is open · ended: none
 */
export interface Search {
  readonly stage: 'application' | 'blockchains' | 'subnets' | 'ended';
  /** Exporter's clock. Undefined if no request was needed. */
  readonly begunAt?: number;
  /** Checks without a known subnet, sorted by name: a different set is a new search. */
  readonly open: readonly string[];
  readonly placed: readonly CheckSubnet[];
  /** Checks without a tag. */
  readonly application: readonly string[];
  /** Subnets that may have the open checks; each group is one request. */
  readonly groups: readonly (readonly string[])[];
  /** Also verify that the known subnets still exist. */
  readonly verify: boolean;
  /** Known subnets for which the P-Chain lists no blockchain. */
  readonly unlisted: readonly string[];
}

export type SearchQuestion = { readonly of: 'tags'; readonly tags: readonly string[] } | { readonly of: 'blockchains' };

/** Subnets per request, so that its path stays below 4 KiB. */
const groupSize = 64;

/** Concurrent requests: this many groups; or the two halves of a group that has the check. */
const atOnce = 8;
const halves = 2;

/** Limits the searched subnets; further ones in the list are skipped. */
const maxCandidates = 4096;

/** Limits the checks per search. */
const maxOpen = 200;

/** The checks of these chains have the same name on every node. */
const primaryChecks: ReadonlySet<string> = new Set(['P', 'X', 'C']);

/** `unknown`: checks whose subnet is not known. */
export const beginSearch = (unknown: readonly string[], verify: boolean): Search => {
  const placed = unknown.filter((check) => primaryChecks.has(check)).map((check) => ({ check, subnetId: primaryNetworkId }));
  const open = unknown
    .filter((check) => !primaryChecks.has(check))
    .toSorted()
    .slice(0, maxOpen);
  const stage = open.length > 0 ? 'application' : afterApplication(open, verify);
  return { stage, open, placed, application: [], groups: [], verify, unlisted: [] };
};

/** The list of the P-Chain is only needed for open checks, or to verify known subnets. */
const afterApplication = (open: readonly string[], verify: boolean): Search['stage'] =>
  open.length > 0 || verify ? 'blockchains' : 'ended';

/** The next requests, up to this number; none if the search has ended. */
export const searchQuestions = ({ stage, groups }: Search, maxQuestions: number): readonly SearchQuestion[] => {
  switch (stage) {
    case 'application':
      return [{ of: 'tags', tags: [impossibleTag] }];
    case 'blockchains':
      return [{ of: 'blockchains' }];
    case 'subnets':
      return groups
        .slice(0, Math.min(maxQuestions, (groups[0]?.length ?? 0) < groupSize ? halves : atOnce))
        .map((tags) => ({ of: 'tags', tags }));
    case 'ended':
      return [];
    default:
      return stage satisfies never;
  }
};

/** `checks`: the checks in the report for these tags. */
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

/** It may become the name of a tag set, and part of a label of a pod. */
const isSubnetId = (text: string): boolean => /^[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/.test(text);

/** `known`: subnets found before; they are searched first. */
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
  // The P-Chain of a real network lists at least the X-Chain and the C-Chain.
  const unlisted = all.length === 0 ? [] : known.filter((id) => !listed.has(id));
  const first = known.filter((id) => listed.has(id));
  const others = [...listed].filter((id) => !first.includes(id)).slice(0, maxCandidates);
  const groups = [...grouped(first), ...grouped(others)];
  return ended({ ...search, stage: 'subnets', open, placed: [...search.placed, ...placed], groups, verify: false, unlisted });
};

const grouped = (ids: readonly string[]): readonly (readonly string[])[] =>
  Array.from({ length: Math.ceil(ids.length / groupSize) }, (_, at) => ids.slice(at * groupSize, (at + 1) * groupSize));
