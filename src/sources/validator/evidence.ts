// Collects what the responses of one poll say about the reward, and asks the peers if that decides.

import type { Answer, Client } from '../../client/client.ts';
import { valueIn } from '../../snapshot/observed.ts';
import type { TargetOptions } from '../../snapshot/options.ts';
import { assessReward, type Evidence, type Reward } from './reward.ts';
import type { Helicon, SetMembership, Uptime } from './state.ts';
import { requirementOf } from './uptime.ts';

interface Known {
  readonly uptime: Answer<Uptime>;
  readonly own: Answer<SetMembership>;
  readonly helicon: Helicon | undefined;
  readonly options: TargetOptions;
  /** Connected stake as a ratio, as check P reports it. */
  readonly connected: number | undefined;
}

/** Undefined if the node does not serve its uptime or its validator record, or did not respond: the reward is then not assessed. */
export const evidenceOf = ({ uptime, own, helicon, options, connected }: Known): Evidence | undefined => {
  const [membership, seen] = [valueIn(own), valueIn(uptime)];
  if (membership === undefined || seen === undefined || membership.state === 'off' || seen.state === 'off') return undefined;
  const { startTime: start, endTime: end } = membership.state === 'validator' ? membership.record : {};
  const period = start !== undefined && end !== undefined && end > start ? { start, end } : undefined;
  const given = options.validator.uptimeRequirement;
  const requirement = given ?? (period && helicon && requirementOf(period, helicon.at));
  return {
    // By the node's clock if its response has a Date header.
    now: uptime.date ?? uptime.endedAt,
    ...(membership.state === 'none' && { isValidator: false }),
    ...(membership.state === 'bootstrapping' && { isBootstrapping: true }),
    ...(period && { period }),
    ...(requirement !== undefined && { requirement }),
    ...(seen.state === 'seen' && { view: { ...seen, ...(connected !== undefined && { connected }) } }),
  };
};

interface Assessed {
  readonly reward?: Reward;
  readonly peers?: Answer<unknown>;
}

/** The peers are asked for only if what they observed decides, as there may be thousands of them. */
export const assess = async (client: Client, evidence: Evidence | undefined): Promise<Assessed> => {
  if (evidence === undefined) return {};
  const reward = assessReward(evidence);
  const mayBeLost = reward.reason === 'BudgetSpent' && (evidence.view?.rewarding ?? 1) < 0.5;
  if (!mayBeLost) return { reward };
  const peers = await client.rpc('info.peers', {});
  const reported = valueIn(peers)?.peers.map(({ observedUptime }) => observedUptime) ?? [undefined];
  const ratios = reported.flatMap((one) => (one === undefined ? [] : [one / 100]));
  return { peers, reward: ratios.length < reported.length ? reward : assessReward({ ...evidence, reported: ratios }) };
};
