// Parses a query for a fleet: filters and position in the list. The same for page and API.

import { maxTargetNameLength, quoted, shortened, unknownName } from '../../text.ts';
import { home } from '../parts.ts';
import { type FleetRow, healths } from './row.ts';

export interface FleetAsked {
  readonly network: string | undefined;
  /** The name of a tag set, or one of its tags. */
  readonly subnet: string | undefined;
  /** A target must have all of these labels. */
  readonly labels: readonly (readonly [name: string, value: string])[];
  readonly health: (typeof healths)[number] | undefined;
  /** Part of a name. */
  readonly search: string | undefined;
  /** What targets are grouped by: `subnet`, `network`, or the name of a label. */
  readonly by: string;
  /** How many targets at the start of the list are skipped. */
  readonly from: number;
  readonly limit: number;
}

/** Names of the query parameters. */
export const fleetParameters = ['network', 'subnet', 'label', 'health', 'q', 'by', 'from', 'limit'];

/** Maximum number of rows in a response, which is also the default. */
export const maxLimit = 1000;
const maxLabels = 8;

export const fleetAsked = (params: URLSearchParams): FleetAsked => {
  const given = (name: string): string | undefined => {
    const text = params.get(name)?.trim() ?? '';
    return text === '' ? undefined : shortened(text, maxTargetNameLength);
  };
  const number = (name: string, or: number): number => {
    const text = params.get(name) ?? '';
    return /^\d{1,6}$/.test(text) ? Number(text) : or;
  };
  return {
    network: given('network'),
    subnet: given('subnet'),
    search: given('q'),
    health: healths.find((one) => one === params.get('health')),
    labels: params
      .getAll('label')
      .filter((text) => text.includes('='))
      .slice(0, maxLabels)
      .map((text) => [text.slice(0, text.indexOf('=')), text.slice(text.indexOf('=') + 1)]),
    by: given('by') ?? 'subnet',
    from: number('from', 0),
    limit: Math.min(maxLimit, Math.max(1, number('limit', maxLimit))),
  };
};

/** Why a query to the API is invalid; undefined if it is valid. The page ignores what is invalid instead. */
export const askedFault = (params: URLSearchParams): string | undefined => {
  const unknown = [...params.keys()].find((name) => !fleetParameters.includes(name));
  if (unknown !== undefined) return unknownName('parameter', unknown, fleetParameters);
  const twice = fleetParameters.find((name) => name !== 'label' && params.getAll(name).length > 1);
  if (twice !== undefined) return `${twice} is given more than once`;
  const label = params.getAll('label').find((text) => !text.includes('='));
  if (label !== undefined) return `label ${quoted(label)} must be written NAME=VALUE`;
  if (params.getAll('label').length > maxLabels) return `label is given more than ${maxLabels} times`;
  const health = params.get('health');
  if (health !== null && !healths.some((one) => one === health))
    return `health ${quoted(health)} must be one of ${healths.join(', ')}`;
  const limit = params.get('limit');
  if (limit !== null && !(/^\d{1,4}$/.test(limit) && Number(limit) >= 1 && Number(limit) <= maxLimit))
    return `limit ${quoted(limit)} must be an integer from 1 to ${maxLimit}`;
  const from = params.get('from');
  return from === null || /^\d{1,6}$/.test(from) ? undefined : `from ${quoted(from)} must be an integer from 0 to 999999`;
};

const alwaysGroups = ['subnet', 'network'];

/** Why these targets cannot be grouped by `by`; undefined if they can, or if there are no targets. */
export const groupingFault = ({ by }: Pick<FleetAsked, 'by'>, rows: readonly FleetRow[]): string | undefined => {
  if (alwaysGroups.includes(by) || rows.length === 0 || rows.some((row) => labelOf(row, by) !== '')) return undefined;
  const labels = new Set(rows.flatMap((row) => Object.keys(row.labels)));
  return unknownName('value of by', by, [...alwaysGroups, ...[...labels].sort()]);
};

/** Whether a target matches the filters. `health` is not one of them, so that the counts include targets of any health. */
export const isAskedFor = (row: FleetRow, { network, subnet, labels, search }: FleetAsked): boolean =>
  (network === undefined || row.network === network) &&
  (subnet === undefined || row.tagSets.some((set) => isSubnet(set, subnet))) &&
  labels.every(([name, value]) => labelOf(row, name) === value) &&
  (search === undefined || row.name.toLowerCase().includes(search.toLowerCase()));

/**
 * The value of a label; empty if the target does not have it. The name is from a query: it may be an inherited one, such as `constructor`.
 */
export const labelOf = ({ labels }: Pick<FleetRow, 'labels'>, name: string): string =>
  (Object.hasOwn(labels, name) ? labels[name] : undefined) ?? '';

export const isSubnet = ({ name, tags }: FleetRow['tagSets'][number], subnet: string): boolean =>
  name === subnet || tags.includes(subnet);

/** The URL of the page with the same filters and some changes, from the first target on by default. Undefined removes a filter. */
export const queryOf = (asked: FleetAsked, change: Partial<FleetAsked> = {}): string => {
  const next = { ...asked, from: 0, ...change };
  const params = new URLSearchParams();
  for (const [name, value] of [
    ['network', next.network],
    ['subnet', next.subnet],
    ['health', next.health],
    ['q', next.search],
    ['by', next.by === 'subnet' ? undefined : next.by],
    ['from', next.from === 0 ? undefined : next.from],
    ['limit', next.limit === maxLimit ? undefined : next.limit],
  ] as const)
    if (value !== undefined) params.set(name, String(value));
  for (const [name, value] of next.labels) params.append('label', `${name}=${value}`);
  const text = params.toString();
  return text === '' ? home : `?${text}`;
};
