// What of a target decides about a restart: its memberships, its tag sets, what it bootstraps, and whether that is to be believed.

import { describe, expect, test } from 'vitest';
import { primaryNetworkId } from '../../src/protocol/id.ts';
import { createWatchedNodes, type Duty, type WatchedNode, watchedNode } from '../../src/restart/node.ts';
import type { TargetState } from '../../src/sources/target-state.ts';
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

test('a validator of the Primary Network is ready as the whole node is', () => {
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
    { when: 'nothing was asked', given: {}, are: ['Primary Network: may validate, ready'] },
    { when: 'it is no validator', given: { primary: validatesNot }, are: [] },
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
      when: 'its answer is old',
      given: { primary: fresh({ state: 'validator', record: { nodeId, weight: 1n } }, noon - 181) },
      are: ['Primary Network: validates, ready'],
    },
    {
      when: 'it was no validator long ago',
      given: { primary: fresh({ state: 'none' }, noon - 181) },
      are: ['Primary Network: may validate, ready'],
    },
    {
      when: 'it validates an L1 alone',
      given: { ...tagSets, primary: validatesNot, ofL1: validates(5n) },
      are: ['my-l1: validates, ready'],
    },
    { when: 'it has no balance for the L1', given: { ...tagSets, primary: validatesNot, ofL1: validates(0n) }, are: [] },
    {
      when: 'its tag set says that it is in an L1',
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
  ])('when $when are $are', ({ given, now = noon, are }) => {
    expect(of(given, now).duties.map(said)).toEqual(are);
  });
});

describe('another node than the one that is expected', () => {
  const other = 'NodeID-111111111111111111116DBWJs';
  const expected = { validator: { ...targetOptions().validator, expected: true } };
  test('whose key was replaced stands for the one that is missing', () => {
    const known = of({ primary: validatesNot, ofL1: validates(5n), options: { tagSets: sets, nodeId: other } });
    expect(known).toMatchObject({ key: other, unexpected: `its NodeID is ${nodeId}, not ${other}` });
    expect(known.duties.map(said)).toEqual(['Primary Network: may validate, not ready', 'my-l1: validates, not ready']);
  });
  test('that is no validator is missing from the Primary Network', () => {
    const known = of({ primary: validatesNot, options: expected });
    expect(known.unexpected).toMatch(/^it is expected to be a validator/);
    expect(known.duties.map(said)).toEqual(['Primary Network: validates, not ready']);
  });
  test('and the one that is expected is not', () => {
    const known = of({ primary: validates(), options: { ...expected, nodeId } });
    expect(known.unexpected).toBeUndefined();
    expect(known.duties.map(said)).toEqual(['Primary Network: validates, ready']);
  });
});

describe('it is doubted', () => {
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
      when: 'unknown whether it is a validator',
      given: { options: { validator: { ...targetOptions().validator, enabled: false } } },
      says: /validator\.enabled is false/,
    },
  ])('when $when', ({ given, now = noon, says }) => {
    expect(of({ primary: validates(), ...given }, now).doubt).toMatch(says);
  });

  test('and not when a check fails', () => {
    expect(of({ health: { all: fresh(report({ disk: failing('full') })) } }).doubt).toBeUndefined();
  });
});

test('one that unknown whether it is a validator counts for nobody', () => {
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

  test('checks whose subnet was not found count', () => {
    expect([watched({ search }).unplacedChecks, watched({ search, isAuto: false }).unplacedChecks]).toEqual([1, 0]);
  });

  test('it may validate subnets that were not found, and those of a node that has not answered yet', () => {
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

test('a window of all targets is not its own', () => {
  const window = { start: noon - 1, end: noon + 60, reason: 'upgrade', source: 'api' } as const;
  const isOwn = (targets?: readonly string[]) =>
    watchedNode({ ...validatorTarget(), maintenance: { ...window, ...(targets && { targets }) } }, noon).node.maintenance?.isOwn;
  expect([isOwn(), isOwn(['node'])]).toEqual([false, true]);
});

test('what is kept of it ends with its truth', () => {
  const [nodeOf, one] = [createWatchedNodes(), validatorTarget({ primary: validatesNot })];
  const first = nodeOf(one, noon);
  expect(nodeOf(one, noon + 1)).toBe(first);
  expect([first.doubt, first.duties]).toEqual([undefined, []]);
  expect(nodeOf(one, noon + 90).doubt).toBeDefined();
  expect(nodeOf(one, noon + 180).duties.map(said)).toEqual(['Primary Network: may validate, not ready']);
});
