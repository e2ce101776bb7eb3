// Verifies an index: whether its containers are valid, and whether the methods of the index agree on them.

import type { Failure } from '../client/outcome.ts';
import type { Container } from '../protocol/container.ts';
import { counted } from '../text.ts';
import { type CrossCheckOptions, confirmDuplicates, crossCheck } from './cross-check.ts';
import { checkerOf, type Finding, type FindingKind, findingKinds, gapFinding } from './findings.ts';
import type { WalkProgress } from './progress.ts';
import type { WalkStart } from './ranges.ts';
import { type HeadStep, walk } from './walk.ts';

/** The index must reach `first`, or end just before it. */
export interface VerifyOptions extends WalkStart, CrossCheckOptions {
  /** The index must reach it. Default: up to the newest container. */
  readonly last?: bigint | undefined;
  readonly onProgress?: ((progress: WalkProgress) => void) | undefined;
}

export interface Verified {
  readonly containers: number;
  readonly crossChecked: number;
  /** Size of the index by its newest number. Undefined if it was not returned. */
  readonly size: bigint | undefined;
  readonly first: bigint;
  /** One past the last verified number. */
  readonly end: bigint;
  readonly counts: Readonly<Record<FindingKind, number>>;
  /** Numbers without a container, in total. */
  readonly missing: bigint;
  /** The first findings, ordered by number. */
  readonly findings: readonly Finding[];
  /** Why it ended early. */
  readonly failure: Failure | undefined;
}

/** Maximum findings that are kept. All are counted. */
const maxFindings = 1000;

export const verify = async (options: VerifyOptions): Promise<Verified> => {
  const { asking, first, last, concurrency, onProgress } = options;
  const check = checkerOf(asking.index, first);
  const tally = tallyOf();
  let [containers, crossChecked, next, end] = [0, 0, first, first];
  let size: bigint | undefined;
  let newest: Container | undefined;
  const result = (failure?: Failure): Verified => {
    return { containers, crossChecked, size, first, end: next, ...tally.sum(), failure };
  };

  for await (const step of walk({ ...options, strict: false })) {
    if (step.kind === 'failed') return result(step.failure);
    if (step.kind === 'head') {
      ({ end, size, newest } = step);
      continue;
    }
    const taken = check(step.containers, step.first, step.end);
    const checked = await crossCheck(asking, step.containers, options);
    if (checked.kind === 'failed') return result(checked.failure);
    const duplicates = await confirmDuplicates(asking, taken.suspects, concurrency);
    if (duplicates.kind === 'failed') return result(duplicates.failure);
    tally.add([...taken.findings, ...duplicates.findings, ...checked.findings, ...lastOf(step.containers, newest)]);
    containers += step.containers.length;
    crossChecked += checked.asked;
    next = step.end;
    onProgress?.({ first, next, end });
  }
  if (asking.signal.aborted) return result({ kind: 'network', reason: 'aborted' });
  const wanted = last ?? first;
  if (next <= wanted && (last !== undefined || first > (size ?? 0n))) tally.add([beyond(next, wanted, size ?? 0n)]);
  return result();
};

/** The requested numbers that the index does not reach. */
const beyond = (first: bigint, last: bigint, size: bigint): Finding => {
  const missing = gapFinding(first, last + 1n);
  return { ...missing, detail: `${missing.detail}: the index has ${counted(Number(size), 'container')}` };
};

const lastOf = (containers: readonly Container[], newest: HeadStep['newest']): readonly Finding[] => {
  if (newest === undefined) return [];
  const same = containers.findLast(({ index }) => index === newest.index);
  if (same === undefined || (same.id === newest.id && same.bytes === newest.bytes)) return [];
  return [{ kind: 'last', number: newest.index, detail: 'getLastAccepted returns another container for this number' }];
};

const tallyOf = () => {
  const counts: Record<FindingKind, number> = { gap: 0, number: 0, duplicate: 0, time: 0, bytes: 0, hash: 0, id: 0, last: 0 };
  const findings: Finding[] = [];
  let missing = 0n;
  return {
    add: (found: readonly Finding[]): void => {
      for (const finding of [...found].sort((a, b) => (a.number < b.number ? -1 : Number(a.number > b.number)))) {
        counts[finding.kind] += 1;
        missing += finding.missing ?? 0n;
        if (findings.length < maxFindings) findings.push(finding);
      }
    },
    sum: (): Pick<Verified, 'counts' | 'missing' | 'findings'> => ({ counts, missing, findings }),
  };
};

/** True if everything was read, and nothing was found. */
export const isSound = ({ counts, failure }: Verified): boolean =>
  failure === undefined && findingKinds.every((kind) => counts[kind] === 0);
