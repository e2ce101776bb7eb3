// /targets/NAME/startupz, readyz, readyz/TAGSET and livez, and the same under /self: the conditions of a node, for the probes of the node's
// container.
//
// The kubelet treats a 404 as a failure and restarts the node, so names of targets and tag sets never give a 404: unknown ones respond with
// Unknown. Targets and tag sets that a reload removed respond from `removed`, while they are still polled.

import type { Condition, Conditions, Target, Targets } from '../conditions/condition.ts';
import { conditionsAt } from '../conditions/true-until.ts';
import { notPolled } from '../conditions/unanswered.ts';
import { unknownName } from '../text.ts';
import {
  isPolled,
  only,
  type ProbeKind,
  type ProbeQuestion,
  type RemovedProbe,
  removedFor,
  removedProbe,
} from './removed-probes.ts';

interface NodeProbe {
  readonly status: 200 | 404 | 503;
  readonly body: string;
  /** The configured target whose conditions were returned. */
  readonly target?: string;
  /** Set for a removed target or tag set. */
  readonly removed?: RemovedProbe;
}

interface ProbeTargets {
  readonly targets: Targets;
  /** Targets by name: those that a reload removed, and those that lost tag sets in a reload, as long as they are still polled. */
  readonly removed?: Targets;
  /** A sentence that says which shard watches a target that this one does not; undefined if none does. */
  readonly elsewhere?: (name: string) => string | undefined;
}

interface ProbeCondition extends Pick<Condition, 'status' | 'message'> {
  readonly reason: string;
  /** For readyz: the condition Healthy, which is what the node itself reports. It does not affect the status code. */
  readonly healthy?: Omit<ProbeCondition, 'healthy'>;
}

/** Undefined if the path is not one of these. `now`: steady clock. */
export const nodeProbe = (path: string, probed: ProbeTargets, now: number): NodeProbe | undefined => {
  const [, first, ...rest] = path.split('/');
  if (first === 'self') return probe(undefined, rest, probed, now);
  const [name, ...others] = rest;
  return first === 'targets' && name !== undefined && others.length > 0 ? probe(name, others, probed, now) : undefined;
};

/** `name`: undefined for /self, which stands for the only target. */
const probe = (
  name: string | undefined,
  [kind = '', ...parts]: readonly string[],
  { targets, removed, elsewhere }: ProbeTargets,
  now: number,
): NodeProbe | undefined => {
  const [tagSet, ...rest] = kind === 'readyz' && parts[0] !== '' ? parts : [undefined, ...parts];
  // Trailing slashes are ignored: with a 404, the kubelet would restart the node, or send it no traffic.
  if (rest.some((part) => part !== '')) return undefined;
  if (!isKind(kind)) return { status: 404, body: 'unknown probe: use startupz, readyz, readyz/TAGSET or livez\n' };
  const question = { kind, ...(tagSet !== undefined && { tagSet }), ...(name !== undefined && { name }) };
  const target = name === undefined ? only(targets) : targets.get(name);
  const gone = removed === undefined ? undefined : removedFor(question, target, removed);
  if (gone !== undefined) {
    const { message, ...rest } = conditionOf(gone, question, now);
    const of = removedProbe(question, gone, targets);
    const still = ` (no longer in the configuration: ${of.use === undefined ? 'change the path of this probe' : `use ${of.use}`})`;
    return { ...reply(question, { ...rest, message: `${message}${still}` }), removed: of };
  }
  if (target === undefined) {
    const message = name === undefined ? undefined : elsewhere?.(name);
    const other = message === undefined ? undefined : ({ status: 'Unknown', reason: 'TargetOnOtherShard', message } as const);
    return reply(question, other ?? noTarget(name, targets));
  }
  return { ...reply(question, conditionOf(target, question, now)), target: target.state.options.name };
};

const isKind = (kind: string): kind is ProbeKind => kind === 'startupz' || kind === 'readyz' || kind === 'livez';

const statuses = { True: 200, False: 503 } as const;

/** A failed startup or liveness probe restarts the node, so a possible fault of the exporter must not fail it. */
const unknown = { startupz: 200, readyz: 503, livez: 200 } as const;

const reply = ({ kind }: ProbeQuestion, { healthy, ...one }: ProbeCondition): NodeProbe => ({
  status: one.status === 'Unknown' ? unknown[kind] : statuses[one.status],
  body: `${lineOf(one)}${healthy === undefined ? '' : `healthy ${lineOf(healthy)}`}`,
});

const lineOf = ({ status, reason, message }: ProbeCondition): string => `${status} ${reason}: ${message}\n`;

const conditionOf = ({ state, conditions }: Target, { kind, tagSet }: ProbeQuestion, now: number): ProbeCondition => {
  const { started, ready, healthy, live }: Conditions = conditionsAt(conditions, state, now);
  switch (kind) {
    case 'startupz':
      return started;
    case 'livez':
      return live;
    case 'readyz': {
      const { untagged } = state.sources.health;
      // A tag set that was just added has the readiness of the whole node.
      const name = tagSet !== undefined && isPolled({ state, conditions }, tagSet) ? tagSet : untagged;
      const { message, ...rest } = ready.get(name) ?? notPolled;
      const whole =
        tagSet === undefined || tagSet === name
          ? ''
          : ` (the whole node: ${whyWhole(tagSet, ready, state.options.writtenTagSets !== undefined)})`;
      return { ...rest, message: `${message}${whole}`, healthy: healthy.get(name) ?? notPolled };
    }
    default:
      return kind satisfies never;
  }
};

const whyWhole = (tagSet: string, ready: Conditions['ready'], isAuto: boolean): string => {
  if (ready.has(tagSet)) return `tag set ${tagSet} has not been polled yet`;
  return `no tag set ${shownName(tagSet)} is configured${isAuto ? ' or was found' : ''}`;
};

const noTarget = (name: string | undefined, targets: Targets): ProbeCondition => {
  if (name === undefined)
    return {
      status: 'Unknown',
      reason: 'NotOneTarget',
      message: `/self needs exactly one target, ${targets.size} are configured${targets.size > 1 ? ': use /targets/NAME' : ''}`,
    };
  return { status: 'Unknown', reason: 'TargetNotFound', message: unknownName('target', name, [...targets.keys()]) };
};

/** Repeats a name in a response only if it could be a configured one. */
const shownName = (name: string): string => (/^[a-z0-9-]{1,63}$/.test(name) ? name : 'of that name');
