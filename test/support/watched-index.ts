// An index watched round after round, without a socket or a clock: the pure step, driven by an index that a test describes.

import type { HealthReport } from '../../src/protocol/health.ts';
import type { IndexName } from '../../src/protocol/paths.ts';
import { headOf, type IndexHead } from '../../src/sources/indexes/head.ts';
import type { IndexQuestions } from '../../src/sources/indexes/questions.ts';
import {
  nextVerification,
  type Observation,
  questionsOf,
  unverified,
  type Verification,
} from '../../src/sources/indexes/verification.ts';
import { answerOf, answersTo, type IndexMethods } from './containers.ts';
import { noon, passing, report } from './snapshot.ts';

export interface Round {
  readonly methods: IndexMethods;
  /** The chain's last accepted block, as its check has it. Absent: the report names no such check. */
  readonly chain?: { readonly height: number; readonly id: string };
  /** The message of the chain's check, where it is another. */
  readonly message?: unknown;
  /** The report does not come. */
  readonly noReport?: boolean;
  readonly nodeId?: string;
  /** Of the node that answers what is asked beside the head. */
  readonly secondNodeId?: string;
}

export interface WatchedIndex {
  /** What was asked beside the head in this round. */
  readonly round: (round: Round) => IndexQuestions;
  readonly watch: () => Verification;
  /** `kind number` of every fault found so far. */
  readonly errors: () => readonly string[];
}

export const chainReport = (index: IndexName, { chain, message }: Pick<Round, 'chain' | 'message'>): HealthReport => {
  const consensus = chain === undefined ? {} : { lastAcceptedHeight: chain.height, lastAcceptedID: chain.id };
  const said = message ?? { engine: { consensus, vm: null }, networking: { percentConnected: 1 } };
  return report({ [index.slice(0, 1)]: passing({ message: said }), network: passing() });
};

/** A round each 30 seconds, from noon on. */
export const watchedIndex = (index: IndexName = 'P/block'): WatchedIndex => {
  let watch = unverified;
  let known: IndexHead | undefined;
  let at = noon;
  const errors: string[] = [];
  return {
    round: (given) => {
      const head = headOf(index, given.methods.last(), known);
      if (head.kind === 'ok') known = head.value;
      const silence = given.noReport === true ? { kind: 'timeout' as const, afterMs: 5000 } : undefined;
      const seen: Observation = {
        head: answerOf(head, at, given.nodeId),
        report: answerOf(silence ?? { kind: 'ok', value: chainReport(index, given) }, at, given.nodeId),
      };
      const questions = questionsOf(index, watch, seen);
      watch = nextVerification(
        index,
        watch,
        seen,
        answersTo(questions, given.methods, at, given.secondNodeId ?? given.nodeId, index),
      );
      errors.push(...watch.errors.map(({ kind, number }) => `${kind} ${number}`));
      at += 30;
      return questions;
    },
    watch: () => watch,
    errors: () => errors,
  };
};

/** How many calls the questions are. */
export const callsOf = ({ range, numbersOf, accepted }: IndexQuestions): number =>
  (range === undefined ? 0 : 1) + numbersOf.length + accepted.length;
