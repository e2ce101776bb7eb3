// The three campaigns, for any number of cases.

import fc from 'fast-check';
import { type AnswerCase, bodiesOf, caseOf, type DrawnCase, drawnCases } from './answer-cases.ts';
import { playAnswers } from './answer-judge.ts';
import type { Besieged } from './besieged.ts';
import { runCampaign } from './campaign.ts';
import { configurationOf, type DrawnConfiguration, drawnConfigurations, playConfiguration } from './configurations.ts';
import { answerCorpus, configurationCorpus, requestCorpus } from './kinds.ts';
import { judgeAlive, playRequests } from './request-judge.ts';
import { type DrawnConnection, drawnConnections, farewell, type RawCase, rawCaseOf } from './requests.ts';
import type { World } from './world.ts';

export interface Extent {
  readonly wanted: number;
  readonly seed: number;
  readonly signal: AbortSignal;
}

const honestCase: AnswerCase = { isWarm: true, polls: [{ after: 700, answers: {} }], shownAfter: 0 };

const bytesOfAnswers = ({ polls }: AnswerCase): number =>
  polls.reduce((sum, { answers }) => sum + Object.values(answers).reduce((length, { body }) => length + body.length, 0), 0);

export const fuzzAnswers = (world: World, extent: Extent): Promise<void> => {
  const bodies = bodiesOf(world);
  return runCampaign<DrawnCase, AnswerCase>({
    ...extent,
    title: 'answers',
    drawn: drawnCases,
    caseOf: (drawn) => caseOf(drawn, world, bodies),
    play: (one) => playAnswers(world, one),
    corpus: answerCorpus,
    honest: { play: () => playAnswers(world, honestCase), bytes: bodies.join('').length },
    bytesOf: bytesOfAnswers,
  });
};

const honestConfiguration = 'targets: [{ name: a, url: "http://127.0.0.1:9650" }]\n';

export const fuzzConfigurations = (world: World, extent: Extent): Promise<void> =>
  runCampaign<DrawnConfiguration, string>({
    ...extent,
    title: 'configurations',
    drawn: drawnConfigurations,
    caseOf: configurationOf,
    play: (text) => playConfiguration(world, text),
    corpus: configurationCorpus,
    honest: { play: () => playConfiguration(world, honestConfiguration), bytes: 2000 },
    bytesOf: (text) => text.length,
  });

const plain = 'text/plain; charset=utf-8';
const json = 'application/json; charset=utf-8';

/** Features behind a password, a token and limits: each is seen a dozen times in a tenth of the whole campaign. */
const mustSee = [
  ...[`users 200 ${json}`, `users 401 ${plain}`, `users 429 ${plain}`, 'users changed'],
  ...[`token 200 ${json}`, `token 403 ${json}`, `token 429 ${plain}`, 'token changed', `standby 429 ${plain}`],
];

/** Maximum of concurrent connections. */
const atOnce = 8;

export const fuzzRequests = (besieged: Besieged, extent: Extent): Promise<void> => {
  const many = (cases: readonly RawCase[]) => playRequests(besieged, cases);
  const honest: RawCase = { to: 'exporter', bytes: `GET / HTTP/1.1\r\nHost: a\r\n\r\n${farewell}`, pieces: 1 };
  return runCampaign<readonly DrawnConnection[], readonly RawCase[]>({
    ...extent,
    title: 'requests',
    drawn: fc.array(drawnConnections, { minLength: 1, maxLength: atOnce, size: 'max' }),
    caseOf: (drawn) => drawn.map(rawCaseOf),
    play: many,
    corpus: requestCorpus,
    honest: { play: () => many(Array.from({ length: atOnce }, () => honest)), bytes: 10_000 },
    bytesOf: (all) => all.reduce((sum, { bytes }) => sum + bytes.length, 0),
    between: () => judgeAlive(besieged),
    mustSee,
  });
};
