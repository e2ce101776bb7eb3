// What the exporter learns about tags from single polls, and how often it asks.

import { describe, expect, test } from 'vitest';
import type { Answer } from '../../../src/client/client.ts';
import type { Failure } from '../../../src/client/outcome.ts';
import type { HealthReport } from '../../../src/protocol/health.ts';
import { doubtfulTags, followTags, impossibleTag, tagsToAsk } from '../../../src/sources/health/tags.ts';
import type { TargetState } from '../../../src/sources/target-state.ts';
import { fresh, noon, passing, report, targetKnowing, targetOptions } from '../../support/snapshot.ts';

const timeout: Failure = { kind: 'timeout', afterMs: 5000 };

const of = (...checks: readonly string[]): HealthReport => report(Object.fromEntries(checks.map((name) => [name, passing()])));

const answer = (given: HealthReport | Failure): Answer<HealthReport> => ({
  outcome: 'kind' in given ? given : { kind: 'ok', value: given },
  sentAt: noon,
  endedAt: noon,
});

type Given = Readonly<Record<string, HealthReport | Failure>>;

const answers = (given: Given): ReadonlyMap<string, Answer<HealthReport>> =>
  new Map(Object.entries(given).map(([name, one]) => [name, answer(one)]));

/** After a poll at `at` with these answers by tag set, and by tag that was requested alone. */
const polled = (target: TargetState, health: Given, tags: Given, at = noon, restarted = false): TargetState => {
  const { options, sources } = target;
  const { reports } = sources.health;
  const before = { options, tags: sources.health.tags, reports };
  const known = followTags(before, { reports: answers(health), tags: answers(tags) }, { at, interval: 30, restarted });
  const brought = [...answers(health)].flatMap(([name, { outcome }]) =>
    outcome.kind === 'ok' ? [[name, fresh(outcome.value)] as const] : [],
  );
  return {
    ...target,
    sources: { ...sources, health: { ...sources.health, tags: known, reports: new Map([...reports, ...brought]) } },
  };
};

const watching = (...tags: readonly string[]): TargetState =>
  targetKnowing(targetOptions({ tagSets: [{ name: 'all', tags: [] }, ...tags.map((tag) => ({ name: tag, tags: [tag] }))] }));

const common = of('network');
const round = { all: of('network', 'A'), a: of('network', 'A') };

const toAsk = (target: TargetState): readonly string[] => tagsToAsk(target.sources.health.tags);

describe('the request with the impossible tag', () => {
  test('is sent in two answered polls and not again', () => {
    const first = polled(watching('a'), round, { [impossibleTag]: common });
    expect(toAsk(first)).toEqual([impossibleTag]);
    expect(toAsk(polled(first, round, { [impossibleTag]: common }))).toEqual([]);
  });

  test.each([
    { that: 'it times out', health: round, tags: { [impossibleTag]: timeout } },
    { that: 'the request for the tag set times out', health: { ...round, a: timeout }, tags: { [impossibleTag]: common } },
  ])('is repeated while $that', ({ health, tags }) => {
    let target = watching('a');
    for (let times = 0; times < 5; times += 1) target = polled(target, health, tags);
    expect(toAsk(target)).toEqual([impossibleTag]);
  });

  test.each(['all', 'application'])("is not sent for the node's own tag %s", (tag) => {
    expect(toAsk(watching(tag))).toEqual([]);
    expect(doubtfulTags(watching(tag).sources.health.tags, { name: tag, tags: [tag] })).toEqual({ unknown: [], undecided: [] });
  });

  test('is sent again when a check appears or disappears, and after a hundred check intervals', () => {
    const learnt = [1, 2].reduce((target) => polled(target, round, { [impossibleTag]: common }), watching('a'));
    expect(toAsk(polled(learnt, round, {}, noon + 3000))).toEqual([]);
    expect(toAsk(polled(learnt, round, {}, noon + 3001))).toEqual([impossibleTag]);
    expect(toAsk(polled(learnt, { ...round, a: common }, {}))).toEqual([impossibleTag]);
    expect(toAsk(polled(learnt, { ...round, a: of('network', 'B') }, {}))).toEqual([impossibleTag]);
  });

  test('is sent again after a restart, even if no report arrives: the node may no longer track the subnet', () => {
    const learnt = [1, 2].reduce((target) => polled(target, round, { [impossibleTag]: common }), watching('a'));
    expect(toAsk(polled(learnt, { all: timeout, a: timeout }, {}, noon, true))).toEqual([impossibleTag]);
  });
});

describe('a tag', () => {
  test('is undecided before the answer, unknown if it adds no check, known once it does', () => {
    const { tags, ...set } = { name: 'a', tags: ['a'] };
    const doubt = (target: TargetState) => doubtfulTags(target.sources.health.tags, { ...set, tags });
    const unasked = watching('a');
    expect(doubt(unasked)).toEqual({ unknown: [], undecided: ['a'] });
    const slip = polled(unasked, { ...round, a: common }, { [impossibleTag]: common });
    expect(doubt(slip)).toEqual({ unknown: ['a'], undecided: [] });
    expect(doubt(polled(slip, round, { [impossibleTag]: common }))).toEqual({ unknown: [], undecided: [] });
  });

  test('is undecided after a restart: the new process may not track the subnet, and reports as healthy without it', () => {
    const learnt = polled(watching('a'), round, { [impossibleTag]: common });
    const doubt = ({ sources }: TargetState) => doubtfulTags(sources.health.tags, { name: 'a', tags: ['a'] });
    expect(doubt(learnt)).toEqual({ unknown: [], undecided: [] });
    const other = polled(learnt, { all: common, a: common }, {}, noon, true);
    expect(doubt(other)).toEqual({ unknown: [], undecided: ['a'] });
    expect(doubt(polled(other, { all: common, a: common }, { [impossibleTag]: common }))).toEqual({
      unknown: ['a'],
      undecided: [],
    });
  });

  test('in a set of several is requested alone: eight per poll, and one without an answer goes to the end', () => {
    const many = Array.from({ length: 10 }, (_, at) => `t${at}`);
    const target = targetKnowing(
      targetOptions({
        tagSets: [
          { name: 'all', tags: [] },
          { name: 'many', tags: many },
        ],
      }),
    );
    expect(toAsk(target)).toEqual([impossibleTag, ...many.slice(0, 8)]);
    const told = Object.fromEntries(many.slice(1, 8).map((tag) => [tag, of('network', tag)]));
    const next = polled(target, { all: common, many: common }, { [impossibleTag]: common, t0: timeout, ...told });
    expect(toAsk(next)).toEqual([impossibleTag, 't8', 't9', 't0']);
  });
});
