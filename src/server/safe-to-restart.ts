// /api/v1/safe-to-restart: whether validators may be restarted now, for how long, and what it costs. The command of that name gives the same
// result for nodes that it polls itself.

import type { Target, Targets } from '../conditions/condition.ts';
import { parseGoDurationSeconds } from '../protocol/duration.ts';
import { subnetGroupsOf } from '../restart/groups.ts';
import { defaultDowntime, type JudgedRestart, judgeRestart } from '../restart/judge.ts';
import { createWatchedNodes, type WatchedNode } from '../restart/node.ts';
import { type RestartResult, worstResult } from '../restart/reason.ts';
import { slowly } from '../restart/slowly.ts';
import { isoOf, quoted, rounded, shortened, unknownName } from '../text.ts';
import { jsonError, jsonReply, type Reply } from './reply.ts';
import { type FleetShards, missingTarget } from './shards.ts';
import type { Own, Present } from './status.ts';

/** The response, as JSON. */
interface RestartAnswer {
  readonly now: string;
  /** Planned downtime. */
  readonly forSeconds: number;
  /** The worst result of all targets: unsafe before unknown before safe; unknown without targets. */
  readonly result: RestartResult;
  readonly judgedFrom: JudgedFrom;
  readonly targets: readonly RestartStatus[];
}

/**
 * `targets`: number of watched targets; for a shard, also that of the fleet. `notWatched`: number of discovered nodes that are not watched.
 * Some of them may never be watched, so they do not make a result unknown. Absent: no discovery.
 */
interface JudgedFrom {
  readonly by: 'exporter' | 'shard' | 'command';
  readonly targets: number;
  readonly shard?: number;
  readonly fleetTargets?: number;
  readonly notWatched?: number;
}

interface RestartStatus extends Omit<JudgedRestart, 'budgetShare'> {
  readonly name: string;
  readonly nodeId?: string;
  readonly cost: { readonly seconds: number; readonly budgetShare?: number };
}

interface RestartAsked {
  /** Names; absent: all. */
  readonly targets?: ReadonlySet<string>;
  readonly seconds: number;
}

type RestartAnswers = (targets: Targets, asked: RestartAsked, present: Present, from: JudgedFrom) => Promise<RestartAnswer>;

/** Caches results of targets that have not changed since the last request. */
export const createRestartAnswers = (): RestartAnswers => {
  const nodeOf = createWatchedNodes();
  return async (targets, { targets: names, seconds }, { now, wallOffset }, judgedFrom) => {
    const nodes = await slowly([...targets.values()], (target) => ({ target, node: nodeOf(target, now) }));
    const groups = subnetGroupsOf(nodes.map(({ node }) => node));
    const asked = nodes.filter(({ node }) => names === undefined || names.has(node.name));
    const judged = await slowly(asked, ({ target, node }) =>
      statusOf(target, node, judgeRestart(node, groups, seconds), seconds),
    );
    return {
      now: isoOf(now + wallOffset),
      forSeconds: rounded(seconds),
      result: judged.length === 0 ? 'unknown' : worstResult(judged),
      judgedFrom,
      targets: judged,
    };
  };
};

const statusOf = (
  { state }: Target,
  { name }: WatchedNode,
  { budgetShare, ...judged }: JudgedRestart,
  seconds: number,
): RestartStatus => ({
  name,
  ...(state.nodeId !== undefined && { nodeId: shortened(state.nodeId, 128) }),
  ...judged,
  cost: { seconds: rounded(seconds), ...(budgetShare !== undefined && { budgetShare }) },
});

/** Limits of the planned downtime in seconds: from one second to a day. */
export const shortestDowntime = 1;
export const longestDowntime = 86_400;

/** Parameters: `target` and `tagSet`, both repeatable, and `for`. */
export const answerRestart = async (
  answers: RestartAnswers,
  params: URLSearchParams,
  {
    targets,
    own: { shards, discovery },
    ...present
  }: Present & { readonly targets: Targets; readonly own: Pick<Own, 'shards' | 'discovery'> },
): Promise<Reply> => {
  const known = ['target', 'tagSet', 'for'];
  const other = [...params.keys()].find((name) => !known.includes(name));
  if (other !== undefined) return jsonError(400, unknownName('parameter', other, known));
  if (params.getAll('for').length > 1) return jsonError(400, 'for is given more than once');
  const duration = params.get('for');
  const seconds = duration === null ? defaultDowntime : (parseGoDurationSeconds(duration) ?? 0);
  if (!(seconds >= shortestDowntime && seconds <= longestDowntime))
    return jsonError(400, `for ${quoted(duration ?? '')} must be a duration from 1s to 24h, such as 10m`);
  const [names, sets] = [new Set(params.getAll('target')), new Set(params.getAll('tagSet'))];
  const missing = [...names].find((name) => !targets.has(name));
  if (missing !== undefined) return jsonError(404, missingTarget(missing, targets, shards));
  const tagSetsOf = ({ state }: Target) => state.options.tagSets.map(({ name }) => name);
  const all = [...targets.values()];
  const knownSets = new Set(all.flatMap(tagSetsOf));
  const noSet = [...sets].find((set) => !knownSets.has(set));
  if (noSet !== undefined) return jsonError(404, unknownName('tag set', noSet, [...knownSets]));
  const asked = new Set([
    ...names,
    ...all.flatMap((target) => (tagSetsOf(target).some((set) => sets.has(set)) ? [target.state.options.name] : [])),
  ]);
  const isAll = names.size + sets.size === 0;
  const from = { ...judgedFrom(targets, shards), ...notWatchedOf(discovery) };
  return jsonReply(200, await answers(targets, { ...(!isAll && { targets: asked }), seconds }, present, from));
};

const judgedFrom = ({ size }: Targets, shards: FleetShards | undefined): JudgedFrom =>
  shards === undefined
    ? { by: 'exporter', targets: size }
    : { by: 'shard', targets: size, shard: shards.shard, fleetTargets: shards.targets.length };

/** Duplicates are not counted: a target with the name or URL of another is watched as that one. */
const notWatchedOf = (discovery: Own['discovery'] = []): Pick<JudgedFrom, 'notWatched'> => {
  if (discovery.length === 0) return {};
  const left = discovery.flatMap(({ unwatched }) => unwatched).filter(({ reason }) => reason !== 'duplicate');
  return { notWatched: left.reduce((sum, { targets }) => sum + targets, 0) };
};
