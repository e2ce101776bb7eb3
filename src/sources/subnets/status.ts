// Status of the found subnets, for API and page.

import { describe } from '../../client/outcome.ts';
import type { TargetOptions } from '../../snapshot/options.ts';
import { isoOf, shortened } from '../../text.ts';
import type { Fact, StatusContext } from '../source.ts';
import type { SubnetsState } from './state.ts';
import { tagSetNameOf } from './tag-sets.ts';

export interface SubnetsStatus {
  /** With `tagSets: auto` only. */
  readonly subnets?: FoundSubnets;
}

interface FoundSubnets {
  readonly known: readonly FoundSubnet[];
  /** Checks whose subnet is not known. */
  readonly unplacedChecks: readonly string[];
  /** The P-Chain cannot list their subnets yet. */
  readonly pChainBootstrapping: boolean;
  /** Why the last search stopped, if it failed. */
  readonly lastError?: string;
}

interface FoundSubnet {
  readonly id: string;
  /** Name of its tag set. Undefined if it has none: both its name and its id are names of other tag sets. */
  readonly name?: string;
  /** Since when the node runs without any check of it. */
  readonly absentSince?: string;
}

/** Maximum unplaced checks listed. */
const maxNames = 20;

export const subnetsStatus = (
  { isAuto, known, search, problem }: SubnetsState,
  { wallOffset, options: { tagSets } }: Pick<StatusContext, 'wallOffset'> & { readonly options: Pick<TargetOptions, 'tagSets'> },
): SubnetsStatus =>
  isAuto
    ? {
        subnets: {
          known: known.map(({ id, absentSince }) => {
            const name = tagSetNameOf(tagSets, id);
            const absent = absentSince !== undefined && { absentSince: isoOf(absentSince + wallOffset) };
            return { id, ...(name !== undefined && { name }), ...absent };
          }),
          unplacedChecks: (search?.open ?? []).slice(0, maxNames).map((check) => shortened(check, 128)),
          pChainBootstrapping: problem?.kind === 'bootstrapping',
          ...(problem?.kind === 'failed' && { lastError: shortened(describe(problem.failure), 600) }),
        },
      }
    : {};

export const subnetFacts = (status: FoundSubnets | undefined): readonly Fact[] => {
  if (status === undefined) return [];
  const { known, unplacedChecks, pChainBootstrapping, lastError } = status;
  const shown = ({ id, name }: FoundSubnet): string => name ?? id;
  const absent = known.filter(({ absentSince }) => absentSince !== undefined).map(shown);
  const notes = [
    ...(absent.length > 0 ? [`without checks: ${absent.join(', ')}`] : []),
    ...(unplacedChecks.length > 0 ? [`subnet unknown of: ${unplacedChecks.join(', ')}`] : []),
    ...(pChainBootstrapping ? ['the P-Chain is bootstrapping'] : []),
    ...(lastError === undefined ? [] : [lastError]),
  ];
  const value = known.length === 0 ? 'none found yet' : known.map(shown).join(', ');
  return [{ name: 'Subnets', value, ...(notes.length > 0 && { note: notes.join('; ') }) }];
};
