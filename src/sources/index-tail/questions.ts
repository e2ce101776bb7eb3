// What is asked of an index beside its last container, and what came of it: in one poll at most one stretch of containers
// (tail.ts says how many), two numbers and two acceptances.

import type { Answer } from '../../client/client.ts';
import type { Container } from '../../protocol/container.ts';

/** Containers by their numbers. */
export interface Stretch {
  readonly start: bigint;
  /** At least 1; one alone is asked for by index.getContainerByIndex, more by index.getContainerRange. */
  readonly count: number;
}

export interface IndexQuestions {
  readonly stretch?: Stretch;
  /** Ids for index.getIndex. */
  readonly numbersOf: readonly string[];
  /** Ids for index.isAccepted. */
  readonly accepted: readonly string[];
}

/** The answers to the questions, each as it ended. */
export interface IndexAnswers {
  readonly stretch?: Answer<readonly Container[]>;
  readonly numbersOf: ReadonlyMap<string, Answer<{ readonly index: bigint }>>;
  readonly accepted: ReadonlyMap<string, Answer<{ readonly isAccepted: boolean }>>;
}

export const noQuestions: IndexQuestions = { numbersOf: [], accepted: [] };
export const noAnswers: IndexAnswers = { numbersOf: new Map(), accepted: new Map() };

export const everyIndexAnswer = ({ stretch, numbersOf, accepted }: IndexAnswers): readonly Answer<unknown>[] => [
  ...(stretch === undefined ? [] : [stretch]),
  ...numbersOf.values(),
  ...accepted.values(),
];
