// The requests of one poll: the network's view of the node, its record in the Primary Network and in each configured subnet, and the
// records of other watched nodes. They always name NodeIDs, as the P-Chain of mainnet otherwise returns thousands of validators.

import type { Answer, Client } from '../../client/client.ts';
import { decodeId, primaryNetworkId } from '../../protocol/id.ts';
import { askedAt, lastValue, valueIn } from '../../snapshot/observed.ts';
import { type TargetOptions, untagged } from '../../snapshot/options.ts';
import type { ReportsAsked } from '../health/state.ts';
import { type AskContext, askNodeId, isOtherNode, mapped } from '../source.ts';
import { maxSubnets } from '../subnets/known.ts';
import { asL1Membership, asMembership, asUptime } from './answers.ts';
import { connectedStake, connectedStakeAt } from './connected.ts';
import { assess, evidenceOf } from './evidence.ts';
import { enoughConnected } from './reward.ts';
import { subnetsPerPoll } from './shown.ts';
import type { Helicon, SetMembership, ValidatorAsked, ValidatorState } from './state.ts';
import { otherIds, sightingsIn, witnessOf } from './witness.ts';

export const notAsked: ValidatorAsked = { memberships: new Map(), others: [] };

export const askValidator = async (question: AskContext<ValidatorState, ReportsAsked>): Promise<ValidatorAsked> => {
  const { client, options, before, of, shared } = question;
  const [answer, readiness] = await Promise.all([client.rpc('info.uptime', {}), of.readiness]);
  const named = readiness?.nodeId ?? answer.nodeId;
  const uptime = asUptime(answer, isOtherNode(before.nodeId, named) ? undefined : lastValue(before.uptime));
  const isOn = uptime.outcome.kind === 'ok' && uptime.outcome.value.state !== 'off';
  const identity = named === undefined && isOn ? await askNodeId(client) : undefined;
  const others = identity === undefined ? [] : [identity];
  const nodeId = named ?? valueIn(identity)?.nodeID;
  if (nodeId === undefined) return { ...notAsked, uptime, others };

  const { before: watchers, after: watched } = question.neighbours();
  // Once for each process of the node: another node may know other upgrades, or be in another network.
  const known = nodeId === before.nodeId ? lastValue(before.helicon) : undefined;
  const [upgrades, { own, sighted, ...platform }] = await Promise.all([
    known === undefined && isOn ? shared.upgrades() : undefined,
    askPlatform(question, nodeId, otherIds(watched, nodeId)),
  ]);
  const helicon = upgrades && mapped(upgrades, (all): Helicon => heliconIn(all));
  const seen = { uptime, ...(helicon && { helicon }) };
  const report = valueIn((await of.health)?.reports.get(untagged(options).name));
  const [connected, connectedAt] = [connectedStake(report), connectedStakeAt(report)];
  const evidence = evidenceOf({ ...seen, own, options, connected, helicon: valueIn(helicon) ?? known });
  // The uptime is of now. With the connected stake of an earlier run of the checks, a lost connection would look like downtime.
  const isRunAssessed = connectedAt !== undefined && connectedAt === lastValue(before.reward)?.connectedAt;
  if (isRunAssessed && evidence?.view !== undefined) return { ...seen, nodeId, ...platform, isRunAssessed, others };
  const { start } = evidence?.period ?? {};
  const witness = start === undefined ? undefined : witnessOf(watchers, nodeId, start, answer.endedAt);
  const { reward, peers } = await assess(client, evidence && { ...evidence, ...(witness && { witness: witness.uptime }) });
  const stake = connected !== undefined && { connected, ...(connectedAt !== undefined && { connectedAt }) };
  // A node that is disconnected itself sees nobody.
  const isWitness = sighted !== undefined && connected !== undefined && connected >= enoughConnected;
  return {
    ...seen,
    nodeId,
    ...platform,
    ...(isWitness && { sightings: sighted }),
    ...(reward && { reward: { ...reward, ...stake, ...(witness && { witness }) } }),
    others: [...others, ...(peers ? [peers] : [])],
  };
};

/** `sighted`: its records of the other nodes. Absent if it does not serve its P-Chain or is bootstrapping it. */
const askPlatform = async (
  { client, options, before }: AskContext<ValidatorState, ReportsAsked>,
  nodeId: string,
  otherNodeIds: readonly string[],
) => {
  const known = nodeId === before.nodeId ? before : undefined;
  const rows = await client.rpc('platform.getCurrentValidators', { nodeIDs: [nodeId, ...otherNodeIds] });
  const own = asMembership(rows, nodeId, lastValue(known?.memberships.get(primaryNetworkId)));
  const served = valueIn(rows);
  const subnets = served === undefined ? [] : validatedSubnets(options).slice(0, maxSubnets);
  const due = dueSubnets(subnets, known);
  const records = await Promise.all(
    subnets.map(
      async (subnet) => [subnet, due.has(subnet) ? await askMembership(client, subnet, nodeId, known) : undefined] as const,
    ),
  );
  const hasBalance = records.some(([subnet, asked]) =>
    isL1(asked === undefined ? lastValue(known?.memberships.get(subnet)) : valueIn(asked)),
  );
  const fee = hasBalance ? await client.rpc('platform.getValidatorFeeState', {}) : undefined;
  return {
    own,
    memberships: new Map([[primaryNetworkId, own], ...records]),
    ...(fee && { feePrice: mapped(fee, ({ price }) => Number(price)) }),
    ...(served && { sighted: sightingsIn(served.validators, nodeId) }),
  };
};

const heliconIn = (upgrades: ReadonlyMap<string, number>): Helicon => {
  const at = upgrades.get('helicon');
  return at === undefined ? {} : { at };
};

/** An L1 validator has a balance. A validator of a legacy subnet has none. */
const isL1 = (membership: SetMembership | undefined): boolean =>
  membership?.state === 'validator' && membership.record.validationId !== undefined;

/** Subnets whose ids are tags of the tag sets. */
export const validatedSubnets = ({ tagSets }: TargetOptions): readonly string[] => {
  const ids = tagSets.flatMap(({ tags }) => tags).filter((tag) => tag !== primaryNetworkId && decodeId(tag) !== undefined);
  return [...new Set(ids)];
};

/** The subnets to ask for in this poll: those that were asked for the longest time ago. */
const dueSubnets = (subnets: readonly string[], before: ValidatorState | undefined): ReadonlySet<string> => {
  const lastAsked = (subnet: string): number => askedAt(before?.memberships.get(subnet)) ?? -1;
  return new Set(subnets.toSorted((one, other) => lastAsked(one) - lastAsked(other)).slice(0, subnetsPerPoll));
};

const askMembership = async (
  client: Client,
  subnet: string,
  nodeId: string,
  before: ValidatorState | undefined,
): Promise<Answer<SetMembership>> => {
  const known = lastValue(before?.memberships.get(subnet));
  const found = asMembership(
    await client.rpc('platform.getCurrentValidators', { subnetID: subnet, nodeIDs: [nodeId] }),
    nodeId,
    known,
  );
  const validationID = known?.state === 'validator' ? known.record.validationId : undefined;
  if (validationID === undefined || valueIn(found)?.state !== 'none') return found;
  // It is inactive or was removed.
  return asL1Membership(await client.rpc('platform.getL1Validator', { validationID }), validationID, known);
};
