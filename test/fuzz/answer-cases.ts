// A case: the responses of a node in one or two polls, and their times. Drawn as mutations, stored and replayed as texts.

import fc from 'fast-check';
import * as z from 'zod/mini';
import { hostileTexts } from './hostile.ts';
import { mutated, pick, type Step, steps } from './mutations.ts';
import type { CaseAnswer, World } from './world.ts';

const answer = z.object({
  status: z.number(),
  date: z.optional(z.number()),
  nodeId: z.optional(z.string()),
  location: z.optional(z.string()),
  body: z.string(),
});

const one = z.object({
  /** Seconds since the previous poll. */
  after: z.number(),
  /** By questionKey; all other requests get honest responses. */
  answers: z.record(z.string(), answer),
});

export const answerCase = z.object({
  /** The exporter has polled the node before. */
  isWarm: z.boolean(),
  polls: z.array(one),
  /** Seconds after the last poll at which page, metrics and API are rendered. */
  shownAfter: z.number(),
});

export type AnswerCase = z.infer<typeof answerCase>;

interface Mutant {
  readonly question: number;
  readonly steps: readonly Step[];
  readonly head: readonly [kind: number, choice: number];
}

export interface DrawnCase {
  readonly isWarm: boolean;
  readonly polls: readonly { readonly after: number; readonly mutants: readonly Mutant[] }[];
  readonly shownAfter: number;
}

const mutant = fc.record({ question: fc.nat(0xffff), steps: steps(), head: fc.tuple(fc.nat(31), fc.nat(0xffff)) });

/** Maximum of mutated responses per case: each costs one parse, and all of them together one rendering. */
const mostMutants = 24;

export const drawnCases: fc.Arbitrary<DrawnCase> = fc.record({
  isWarm: fc.boolean(),
  polls: fc.array(
    fc.record({
      // After 700 s every request is due.
      after: fc.oneof({ weight: 3, arbitrary: fc.constant(700) }, fc.constantFrom(1, 30, 90, -5, 1e6)),
      mutants: fc.array(mutant, { minLength: 1, maxLength: mostMutants, size: 'max' }),
    }),
    { minLength: 1, maxLength: 2 },
  ),
  shownAfter: fc.constantFrom(0, 0, 1, 89, 1000, 1e7),
});

/** All honest texts, in order: mutations take pieces from them. */
export const bodiesOf = ({ honest, troubled }: World): readonly string[] =>
  [...honest.values(), ...troubled.values()].map(({ body }) => body);

/** Prefers reports of the health API, which have the most content. */
const keyOf = (keys: readonly string[], question: number): string => {
  const reports = keys.filter((key) => key.startsWith('/ext/health'));
  return pick(question % 3 === 0 ? reports : keys, question >> 2) ?? '';
};

export const caseOf = (
  { isWarm, polls, shownAfter }: DrawnCase,
  { honest, troubled }: World,
  others: readonly string[],
): AnswerCase => {
  const keys = [...honest.keys()];
  const answersOf = (mutants: readonly Mutant[]): Record<string, CaseAnswer> =>
    Object.fromEntries(
      mutants.flatMap(({ question, steps: made, head }) => {
        const key = keyOf(keys, question);
        const was = (question % 5 < 3 ? troubled.get(key) : undefined) ?? honest.get(key);
        return was === undefined ? [] : [[key, withHead({ ...was, body: mutated(was.body, made, others) }, head)]];
      }),
    );
  return { isWarm, shownAfter, polls: polls.map(({ after, mutants }) => ({ after, answers: answersOf(mutants) })) };
};

const statuses = [200, 503, 500, 403, 404, 301, 204, 429, 999, 0];
const dates = [undefined, 0, -1, 1e11, 8.64e12, 1_700_000_000, 1_800_004_000.9];

/** As the transport returns it: a NodeID has at most 128 characters. */
const withHead = (was: CaseAnswer, [kind, choice]: Mutant['head']): CaseAnswer => {
  if (kind === 0) return { ...was, status: pick(statuses, choice) ?? 200 };
  if (kind === 1) return { ...was, date: pick(dates, choice) };
  if (kind === 2) return { ...was, nodeId: choice % 5 === 0 ? undefined : pick(hostileTexts, choice)?.slice(0, 128) };
  if (kind === 3) return { ...was, status: 302, location: pick(hostileTexts, choice)?.slice(0, 200) };
  return was;
};
