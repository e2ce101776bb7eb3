// Parses a query for a fleet: filters and position in the list. The same for page and API.

import { maxTargetNameLength, quoted, shortened, unknownName } from '../../text.ts';
import { type FleetRow, healths } from './row.ts';

export interface FleetAsked {
  readonly network?: string;
  /** The name of a tag set, or one of its tags. */
  readonly subnet?: string;
  /** All of them. */
  readonly labels: readonly (readonly [name: string, value: string])[];
  readonly health?: (typeof healths)[number];
  /** Part of a name. */
  readonly search?: string;
  /** What the groups are of: `subnet`, `network`, or the name of a label. */
  readonly by: string;
  /** How many of the list are left out. */
  readonly from: number;
  readonly limit: number;
}

/** What is read of a query. */
export const fleetParameters = ['network', 'subnet', 'label', 'health', 'q', 'by', 'from', 'limit'];

/** Most rows of one answer, and as many as there are without a limit. */
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
  const [network, subnet, search] = [given('network'), given('subnet'), given('q')];
  const health = healths.find((one) => one === params.get('health'));
  return {
    ...(network !== undefined && { network }),
    ...(subnet !== undefined && { subnet }),
    ...(search !== undefined && { search }),
    ...(health !== undefined && { health }),
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

/** What is wrong with a query to the API; the page shows what it can. */
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

/** Why there is nothing to group these targets by; undefined where there is, and where there are none. */
export const groupingFault = ({ by }: Pick<FleetAsked, 'by'>, rows: readonly FleetRow[]): string | undefined => {
  if (alwaysGroups.includes(by) || rows.length === 0 || rows.some((row) => labelOf(row, by) !== '')) return undefined;
  const labels = new Set(rows.flatMap((row) => Object.keys(row.labels)));
  return unknownName('value of by', by, [...alwaysGroups, ...[...labels].sort()]);
};

/** Without `health`, so that its counts are of all of them. */
export const isAskedFor = (row: FleetRow, { network, subnet, labels, search }: FleetAsked): boolean =>
  (network === undefined || row.network === network) &&
  (subnet === undefined || row.tagSets.some((set) => isSubnet(set, subnet))) &&
  labels.every(([name, value]) => labelOf(row, name) === value) &&
  (search === undefined || row.name.toLowerCase().includes(search.toLowerCase()));

/** Empty where it has none. A name is anything that a query may hold, such as `constructor`. */
export const labelOf = ({ labels }: Pick<FleetRow, 'labels'>, name: string): string =>
  (Object.hasOwn(labels, name) ? labels[name] : undefined) ?? '';

export const isSubnet = ({ name, tags }: FleetRow['tagSets'][number], subnet: string): boolean =>
  name === subnet || tags.includes(subnet);

/** The same question with some of it changed, as a query of the page; undefined takes a part away. */
export const queryOf = (
  asked: FleetAsked,
  change: { readonly [K in keyof FleetAsked]?: FleetAsked[K] | undefined } = {},
): string => {
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
  for (const [name, value] of next.labels ?? []) params.append('label', `${name}=${value}`);
  const text = params.toString();
  return text === '' ? '/' : `/?${text}`;
};
