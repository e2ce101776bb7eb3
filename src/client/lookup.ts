// From names to addresses, as the host does it (/etc/hosts and search domains included), for all who ask in this process: one question
// at a time for each name, and where it is not answered, what was answered last.

import { ADDRCONFIG, type LookupAddress, lookup as systemLookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { codeOf } from '../text.ts';
import { type Conduct, createLookupPlaces, type LookupHost, type LookupResult, slowMs } from './lookup-places.ts';
import { nameServersAnswer } from './name-servers.ts';

export interface LookupClock {
  /** Milliseconds. Gives what calls it off. */
  readonly after: (ms: number, then: () => void) => () => void;
}

const system: LookupHost & LookupClock = {
  now: () => performance.now(),
  after: (ms, then) => {
    const timer = setTimeout(then, ms).unref();
    return () => clearTimeout(timer);
  },
  lookUp: (host, done) => systemLookup(host, { all: true, hints: ADDRCONFIG }, (error, addresses) => done(error ?? addresses)),
  isAnswered: nameServersAnswer,
};

/** Of these the oldest is forgotten first. */
const maxNames = 4096;

/** Of a name: each is connected to in its turn where none answers, and all are kept. A DNS server may give four thousand. */
const maxAddresses = 64;

/** For so long a name that has as many is not looked up again: to read four thousand takes 20 ms of CPU and more. */
const manyRestMs = 30_000;

/** After so long a name that was never answered for has failed. */
const waitMs = 10_000;

/** For so long a name that failed slowly is not looked up again; twice as long each time. */
const backoffMs = { first: 1000, most: 30_000 } as const;

interface Question {
  readonly waiting: Set<(answer: LookupResult) => void>;
  /** Who asks now is told this, as those were who waited. */
  late?: LookupResult;
  readonly timers: (() => void)[];
}

interface Name extends Conduct {
  /** The last good answer. */
  kept?: readonly LookupAddress[] | undefined;
  question?: Question | undefined;
  /** Of very many addresses, until when they stand. */
  restsUntil?: number;
  /** Of a slow failure, until when it stands. */
  failed?: { readonly error: Error; readonly until: number } | undefined;
}

export interface Lookups {
  /** For sockets. */
  readonly lookup: LookupFunction;
  /** Rejects as the resolver does. */
  readonly resolve: (host: string) => Promise<readonly string[]>;
}

const failure = (text: string): Error => Object.assign(new Error(text), { code: 'EAI_AGAIN' });

/** One for all clients of the process. */
export const createLookups = ({ after, ...host }: LookupHost & LookupClock = system): Lookups => {
  const names = new Map<string, Name>();
  const places = createLookupPlaces(host);

  const end = (name: Name, answer: LookupResult): void => {
    const { question } = name;
    name.question = undefined;
    for (const callOff of question?.timers ?? []) callOff();
    for (const tell of question?.waiting ?? []) tell(answer);
  };
  const learn = (name: Name, answer: LookupResult): void => {
    name.failed = undefined;
    if (!(answer instanceof Error)) name.kept = answer;
    else {
      // That there is no such name is an answer, too.
      if (codeOf(answer) === 'ENOTFOUND') name.kept = undefined;
      const backoff = Math.min(backoffMs.most, backoffMs.first * 2 ** (name.strikes - 1));
      if (name.strikes > 0) name.failed = { error: answer, until: host.now() + backoff };
    }
    end(name, answer instanceof Error ? (name.kept ?? answer) : answer);
  };
  const begin = (called: string, name: Name, then: (answer: LookupResult) => void): void => {
    const question: Question = { waiting: new Set([then]), timers: [] };
    name.question = question;
    const late = (answer: LookupResult): void => {
      question.late = answer;
      for (const tell of question.waiting) tell(answer);
      question.waiting.clear();
    };
    question.timers.push(
      after(slowMs, () => name.kept && late(name.kept)),
      after(waitMs, () => {
        late(name.kept ?? failure(`${called} did not resolve in time`));
        // Nobody waits for it any more: who asks again is behind those who do.
        if (places.leave(called)) name.question = undefined;
      }),
    );
    places.enter(called, name, (answer) => {
      // The map keeps the order of insertion.
      names.delete(called);
      names.set(called, name);
      if (answer instanceof Error) learn(name, answer);
      else {
        if (answer.length > maxAddresses) name.restsUntil = host.now() + manyRestMs;
        learn(name, answer.slice(0, maxAddresses));
      }
    });
  };
  const known = (called: string): Name | undefined => {
    const found = names.get(called);
    if (found !== undefined) return found;
    for (const [oldest, { question }] of names) {
      if (names.size < maxNames) break;
      if (question === undefined) names.delete(oldest);
    }
    if (names.size >= maxNames) return undefined;
    const name: Name = { strikes: 0, isBarred: false };
    names.set(called, name);
    return name;
  };
  const ask = (called: string, then: (answer: LookupResult) => void): void => {
    const name = known(called);
    if (name === undefined) {
      then(failure(`${called} is not looked up: too many DNS queries are pending`));
      return;
    }
    const { question, failed, kept, restsUntil = 0 } = name;
    if (kept !== undefined && host.now() < restsUntil) {
      then(kept);
      return;
    }
    if (failed !== undefined && host.now() < failed.until) then(kept ?? failed.error);
    else if (question === undefined) begin(called, name, then);
    else if (question.late === undefined) question.waiting.add(then);
    else then(question.late);
  };

  return {
    lookup: (called, options, callback) => ask(called, (answer) => giveAddresses(answer, options, callback)),
    resolve: (called) =>
      new Promise((resolve, reject) => {
        ask(called, (answer) => {
          if (answer instanceof Error) reject(answer);
          else resolve(answer.map(({ address }) => address));
        });
      }),
  };
};

/** In a later turn: a socket that fails in the turn in which it was made has nobody who hears of it. */
export const giveAddresses = (
  answer: LookupResult,
  { all }: Parameters<LookupFunction>[1],
  callback: Parameters<LookupFunction>[2],
): void => {
  setImmediate(() => {
    if (answer instanceof Error) callback(answer, '', 0);
    else if (all === true) callback(null, [...answer]);
    else callback(null, answer[0]?.address ?? '', answer[0]?.family ?? 0);
  });
};
