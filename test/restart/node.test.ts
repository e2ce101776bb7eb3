// The state of a target that decides about a restart: its subnets, its tag sets, what it bootstraps, and doubts about it.

import { describe, expect, test } from 'vitest';
import { primaryNetworkId } from '../../src/protocol/id.ts';
import { createWatchedNodes, type Duty, type WatchedNode, watchedNode } from '../../src/restart/node.ts';
import type { TargetState } from '../../src/sources/target-state.ts';
import type { SetMembership } from '../../src/sources/validator/state.ts';
import { failing, fresh, noon, report, stopped, targetOptions } from '../support/snapshot.ts';
import {
  connected,
  type KnownValidator,
  l1,
  nodeId,
  onTrack,
  sets,
  validates,
  validatesNot,
  validatorTarget,
} from '../support/validators.ts';

const of = (given: KnownValidator, now = noon): WatchedNode => watchedNode(validatorTarget(given), now).node;

const said = ({ name, isCertain, isReady, isBootstrapping }: Duty): string =>
  `${name}: ${isCertain ? 'validates' : 'may validate'}, ${isReady ? 'ready' : 'not ready'}${isBootstrapping ? ', bootstrapping' : ''}`;

test('a validator of the Primary Network is ready if the whole node is', () => {
  const reward = onTrack(1000);
  const known = of({ primary: validates(), reward });
  expect(known).toMatchObject({ reward, name: 'node', key: nodeId, network: 'fuji', connected: 0.9, unplacedChecks: 0 });
  expect(known.doubt).toBeUndefined();
  expect(known.duties.map(said)).toEqual(['Primary Network: validates, ready']);
});

describe('its duties', () => {
  const tagSets = { options: { tagSets: sets } };
  const bootstrapping = (message: readonly string[]) => ({
    health: { all: fresh(report({ ...connected, bootstrapped: failing('subnets not bootstrapped', { message }) })) },
  });
  test.each<{ when: string; given: KnownValidator; now?: number; are: readonly string[] }>([
    { when: 'nothing is known', given: {}, are: ['Primary Network: may validate, ready'] },
    { when: 'it is not a validator', given: { primary: validatesNot }, are: [] },
    {
      when: 'its P-Chain is not served',
      given: { primary: fresh({ state: 'off' }) },
      are: ['Primary Network: may validate, ready'],
    },
    {
      when: 'its P-Chain bootstraps',
      given: { primary: fresh({ state: 'bootstrapping' }) },
      are: ['Primary Network: may validate, ready, bootstrapping'],
    },
    {
      when: 'the validator response is old',
      given: { primary: fresh({ state: 'validator', record: { nodeId, weight: 1n } }, noon - 181) },
      are: ['Primary Network: validates, ready'],
    },
    {
      when: 'the response that it is not a validator is old',
      given: { primary: fresh({ state: 'none' }, noon - 181) },
      are: ['Primary Network: may validate, ready'],
    },
    {
      when: 'it validates only an L1',
      given: { ...tagSets, primary: validatesNot, ofL1: validates(5n) },
      are: ['my-l1: validates, ready'],
    },
    { when: 'it has no balance for the L1', given: { ...tagSets, primary: validatesNot, ofL1: validates(0n) }, are: [] },
    {
      when: 'it has a tag set of an L1',
      given: { ...tagSets, primary: validatesNot },
      are: ['my-l1: may validate, ready'],
    },
    {
      when: 'a check of the L1 fails',
      given: {
        ...tagSets,
        primary: validates(),
        ofL1: validates(5n),
        health: { all: fresh(report(connected)), 'my-l1': fresh(report({ [l1]: failing('stuck') })) },
      },
      are: ['Primary Network: validates, ready', 'my-l1: validates, not ready'],
    },
    {
      when: 'it bootstraps the L1',
      given: { ...tagSets, primary: validates(), ofL1: validates(5n), ...bootstrapping([l1]) },
      are: ['Primary Network: validates, not ready', 'my-l1: validates, not ready, bootstrapping'],
    },
    {
      when: 'it bootstraps the Primary Network',
      given: { ...tagSets, primary: validates(), ofL1: validates(5n), ...bootstrapping([primaryNetworkId]) },
      are: ['Primary Network: validates, not ready, bootstrapping', 'my-l1: validates, not ready, bootstrapping'],
    },
    {
      when: 'its report is old',
      given: { primary: validates() },
      now: noon + 90,
      are: ['Primary Network: validates, not ready'],
    },
  ])('are $are when $when', ({ given, now = noon, are }) => {
    expect(of(given, now).duties.map(said)).toEqual(are);
  });
});

describe('an unexpected node', () => {
  const other = 'NodeID-111111111111111111116DBWJs';
  const expected = { validator: { ...targetOptions().validator, expected: true } };
  test('with another NodeID counts as the missing validator, not ready', () => {
    const known = of({ primary: validatesNot, ofL1: validates(5n), options: { tagSets: sets, nodeId: other } });
    expect(known).toMatchObject({ key: other, unexpected: `its NodeID is ${nodeId}, not ${other}` });
    expect(known.duties.map(said)).toEqual(['Primary Network: may validate, not ready', 'my-l1: validates, not ready']);
  });
  test('that is not a validator counts as not ready in the Primary Network', () => {
    const known = of({ primary: validatesNot, options: expected });
    expect(known.unexpected).toMatch(/^it is expected to be a validator/);
    expect(known.duties.map(said)).toEqual(['Primary Network: validates, not ready']);
  });
  test('is reported only if it differs from the expected one', () => {
    const known = of({ primary: validates(), options: { ...expected, nodeId } });
    expect(known.unexpected).toBeUndefined();
    expect(known.duties.map(said)).toEqual(['Primary Network: validates, ready']);
  });
});

test('with more than sixteen subnets, the response that it does not validate one is valid for as many more polls', () => {
  const none = fresh<SetMembership>({ state: 'none' }, noon);
  const others = Array.from({ length: 32 }, (_, nth) => [`other${nth}`, none] as const);
  const { state, conditions } = validatorTarget({ ...{ options: { tagSets: sets } }, primary: validates(), ofL1: none });
  const memberships = new Map([...state.sources.validator.memberships, ...others]);
  const validator = { ...state.sources.validator, memberships };
  const target = { state: { ...state, sources: { ...state.sources, validator } }, conditions };
  const duties = (age: number) => watchedNode(target, noon + age).node.duties.map(({ name }) => name);
  expect([duties(3 * 180), duties(3 * 180 + 1).includes('my-l1')]).toEqual([['Primary Network'], true]);
});

describe('the state of a node is doubted', () => {
  test.each<{ when: string; given: KnownValidator; now?: number; says: RegExp }>([
    { when: 'its report is old', given: {}, now: noon + 90, says: /old|ago/ },
    { when: 'its health worker hangs', given: stopped(noon - 3000, 100), says: /no check has run for/ },
    {
      when: 'its health worker hangs with a check that failed',
      given: { ...stopped(noon - 3000, 100), health: { all: fresh(report({ disk: failing('full') })) } },
      says: /no check has run for/,
    },
    { when: 'it was never polled', given: { health: {} }, says: /not been polled/ },
    {
      when: 'validator.enabled is false',
      given: { options: { validator: { ...targetOptions().validator, enabled: false } } },
      says: /validator\.enabled is false/,
    },
  ])('when $when', ({ given, now = noon, says }) => {
    expect(of({ primary: validates(), ...given }, now).doubt).toMatch(says);
  });

  test('but not when a check fails', () => {
    expect(of({ health: { all: fresh(report({ disk: failing('full') })) } }).doubt).toBeUndefined();
  });
});

test('a target with validator.enabled: false has no duties', () => {
  expect(of({ primary: validates(), options: { validator: { ...targetOptions().validator, enabled: false } } }).duties).toEqual(
    [],
  );
});

describe('with tagSets: auto', () => {
  const none = { application: [], placed: [], unlisted: [], groups: [] };
  const search = { ...none, stage: 'ended', verify: false, open: ['my-l1'] } as const;
  const watched = (given: Partial<TargetState['sources']['subnets']>, known: KnownValidator = {}): WatchedNode => {
    const { state, conditions } = validatorTarget(known);
    const subnets = { ...state.sources.subnets, isAuto: true, ...given };
    return watchedNode({ state: { ...state, sources: { ...state.sources, subnets } }, conditions }, noon).node;
  };

  test('checks without a known subnet are counted', () => {
    expect([watched({ search }).unplacedChecks, watched({ search, isAuto: false }).unplacedChecks]).toEqual([1, 0]);
  });

  test('a node may validate unknown subnets while checks are unplaced or it has not responded yet', () => {
    const silent = { health: {} };
    const known = [{ id: l1, name: 'my-l1', checks: ['my-l1'] }];
    expect(
      [
        watched({}),
        watched({ search }),
        watched({}, silent),
        watched({ known }, silent),
        watched({ isAuto: false }, silent),
        watched({}, { ...silent, options: { validator: { ...targetOptions().validator, enabled: false } } }),
      ].map(({ mayValidateAllBut }) => mayValidateAllBut && [...mayValidateAllBut]),
    ).toEqual([undefined, [primaryNetworkId], [primaryNetworkId], undefined, undefined, undefined]);
  });
});

test('a maintenance window for all targets does not count as a window of the target', () => {
  const window = { start: noon - 1, end: noon + 60, reason: 'upgrade', source: 'api' } as const;
  const isOwn = (targets?: readonly string[]) =>
    watchedNode({ ...validatorTarget(), maintenance: { ...window, ...(targets && { targets }) } }, noon).node.maintenance?.isOwn;
  expect([isOwn(), isOwn(['node'])]).toEqual([false, true]);
});

test('the cached state of a target expires with its report', () => {
  const [nodeOf, one] = [createWatchedNodes(), validatorTarget({ primary: validatesNot })];
  const first = nodeOf(one, noon);
  expect(nodeOf(one, noon + 1)).toBe(first);
  expect([first.doubt, first.duties]).toEqual([undefined, []]);
  expect(nodeOf(one, noon + 90).doubt).toBeDefined();
  expect(nodeOf(one, noon + 180).duties.map(said)).toEqual(['Primary Network: may validate, not ready']);
});
