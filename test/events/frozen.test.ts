// The events of health checks that stop and run again, whatever the polls in between.

import { expect, test } from 'vitest';
import { recordsBetween } from '../../src/events/target-records.ts';
import { ok, type Round, refused, timedOut, watchedOver } from '../support/rounds.ts';
import { fresh, noon, report, stopped, targetKnowing, targetOptions } from '../support/snapshot.ts';

const ran = (at: number, last: number): Round => ({ at, health: { all: report({ P: ok(last) }) } });
const failed = (at: number, brought = timedOut): Round => ({ at, health: { all: brought }, readiness: brought });

const began = [ran(0, 0), ran(30, 30)];
const frozen = ran(990, 30);

const toldOf = (rounds: readonly Round[]): readonly string[] =>
  watchedOver([...began, ...rounds])
    .records.flat()
    .map(({ kind }) => kind);

test.each([
  { that: 'stop, and run again', rounds: [frozen, ran(1020, 1020)], told: ['health-frozen', 'health-running'] },
  { that: 'stop for several polls', rounds: [frozen, ran(1020, 30)], told: ['health-frozen'] },
  {
    that: 'run again after a failed poll',
    rounds: [frozen, failed(1020), ran(1050, 1050)],
    told: ['health-frozen', 'health-running'],
  },
  {
    that: 'are stopped before and after failed polls',
    rounds: [frozen, failed(1020), failed(1050), ran(1080, 30)],
    told: ['health-frozen'],
  },
  {
    that: 'run again in a new process',
    rounds: [frozen, failed(1020, refused), ran(1050, 1049)],
    told: ['health-frozen', 'node-restarted'],
  },
])('checks that $that are recorded as $told', ({ rounds, told }) => {
  expect(toldOf(rounds)).toEqual(told);
});

test('checks that reach the limit between the report and the end of its poll are not recorded as stopped, nor as running again', () => {
  const after = (at: number, since: number) =>
    targetKnowing(targetOptions(), {
      ...stopped(noon + since, 3),
      health: { all: fresh(report({ P: ok(since) }), noon + at) },
      lastPoll: { at: noon + at + 0.2, answered: true, failures: [] },
    });
  const polls = [after(60, 0), after(89.9, 0), after(120, 120)];
  expect(polls.slice(1).map((one, nth) => recordsBetween(polls[nth] ?? one, one).map(({ kind }) => kind))).toEqual([[], []]);
});
