// Drives the pure step of index verification with a described index, without a socket or clock.

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
  /** The chain's last accepted block in its check. Absent: the report has no such check. */
  readonly chain?: { readonly height: number; readonly id: string };
  /** Overrides the message of the chain's check. */
  readonly message?: unknown;
  /** The report is missing. */
  readonly noReport?: boolean;
  readonly nodeId?: string;
  /** The NodeID of the node that answers the requests besides the head. */
  readonly secondNodeId?: string;
}

export interface WatchedIndex {
  /** The requests besides the head in this poll. */
  readonly round: (round: Round) => IndexQuestions;
  readonly watch: () => Verification;
  /** `kind number` of every error found so far. */
  readonly errors: () => readonly string[];
}

export const chainReport = (index: IndexName, { chain, message }: Pick<Round, 'chain' | 'message'>): HealthReport => {
  const consensus = chain === undefined ? {} : { lastAcceptedHeight: chain.height, lastAcceptedID: chain.id };
  const said = message ?? { engine: { consensus, vm: null }, networking: { percentConnected: 1 } };
  return report({ [index.slice(0, 1)]: passing({ message: said }), network: passing() });
};

/** A poll every 30 seconds from noon on. */
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

/** The number of calls for these requests. */
export const callsOf = ({ range, numbersOf, accepted }: IndexQuestions): number =>
  (range === undefined ? 0 : 1) + numbersOf.length + accepted.length;
