// /targets/NAME/startupz, readyz, readyz/TAGSET and livez, and the same under /self: the conditions of a node, for the node's
// container to point its probes at.
//
// The kubelet takes a 404 for a failure and ends the node for it: so no name of a target or a tag set is ever not found. What a
// probe cannot say of a node is Unknown.

import type { Condition, Conditions, Target, Targets } from '../verdict/condition.ts';
import { conditionsAt } from '../verdict/true-until.ts';
import { notPolled } from '../verdict/unanswered.ts';
import { listed } from './parts.ts';

export interface NodeProbe {
  readonly status: 200 | 404 | 503;
  readonly body: string;
  /** Whose conditions they are. */
  readonly target?: string;
}

type Kind = 'startupz' | 'readyz' | 'livez';

/** What is asked of a target. */
interface Question {
  readonly kind: Kind;
  readonly tagSet?: string;
}

interface ProbeCondition extends Pick<Condition, 'status' | 'message'> {
  readonly reason: string;
  /** Beside whether it is ready: what the node itself says. Nothing follows from it here. */
  readonly healthy?: Omit<ProbeCondition, 'healthy'>;
}

/** Undefined where the path is none of these. `now`: steady clock. */
export const nodeProbe = (path: string, targets: Targets, now: number): NodeProbe | undefined => {
  const [, first, ...rest] = path.split('/');
  if (first === 'self') return probe(undefined, rest, targets, now);
  const [name, ...others] = rest;
  return first === 'targets' && name !== undefined && others.length > 0 ? probe(name, others, targets, now) : undefined;
};

/** Without a name: of the only target. */
const probe = (
  name: string | undefined,
  [kind = '', tagSet, ...rest]: readonly string[],
  targets: Targets,
  now: number,
): NodeProbe | undefined => {
  if (rest.length > 0 || (tagSet !== undefined && kind !== 'readyz')) return undefined;
  if (!isKind(kind))
    return { status: 404, body: 'no such probe of a node: there are startupz, readyz, livez and readyz/TAGSET\n' };
  const question = { kind, ...(tagSet !== undefined && { tagSet }) };
  const [target] = name === undefined ? targets.values() : [targets.get(name)];
  if (target === undefined || (name === undefined && targets.size !== 1)) return reply(question, noTarget(name, targets));
  return { ...reply(question, conditionOf(target, question, now)), target: target.state.options.name };
};

const isKind = (kind: string): kind is Kind => kind === 'startupz' || kind === 'readyz' || kind === 'livez';

const statuses = { True: 200, False: 503 } as const;

/** A failed startup or liveness probe ends the node, so what may be a fault of our own does not fail it. */
const unknown = { startupz: 200, readyz: 503, livez: 200 } as const;

const reply = ({ kind }: Question, { healthy, ...one }: ProbeCondition): NodeProbe => ({
  status: one.status === 'Unknown' ? unknown[kind] : statuses[one.status],
  body: `${lineOf(one)}${healthy === undefined ? '' : `healthy ${lineOf(healthy)}`}`,
});

const lineOf = ({ status, reason, message }: ProbeCondition): string => `${status} ${reason}: ${message}\n`;

const conditionOf = ({ state, conditions }: Target, { kind, tagSet }: Question, now: number): ProbeCondition => {
  const { started, ready, healthy, live }: Conditions = conditionsAt(conditions, state, now);
  switch (kind) {
    case 'startupz':
      return started;
    case 'livez':
      return live;
    case 'readyz': {
      const { untagged } = state.sources.health;
      const isKnown = tagSet !== undefined && ready.has(tagSet);
      const name = isKnown ? tagSet : untagged;
      const { message, ...rest } = ready.get(name) ?? notPolled;
      const whole = tagSet === undefined || isKnown ? '' : ` (the whole node: no tag set ${said(tagSet)} is configured)`;
      return { ...rest, message: `${message}${whole}`, healthy: healthy.get(name) ?? notPolled };
    }
    default:
      return kind satisfies never;
  }
};

/** Most names listed to who asked for another. */
const mostNames = 100;

const noTarget = (name: string | undefined, targets: Targets): ProbeCondition => {
  if (name === undefined)
    return {
      status: 'Unknown',
      reason: 'NotOneTarget',
      message: `/self needs exactly one target, ${targets.size} are configured`,
    };
  const names = [...targets.keys()];
  const more = names.length - mostNames;
  const there = listed(more > 0 ? [...names.slice(0, mostNames), `${more} more`] : names);
  const verb = names.length < 2 ? 'there is' : 'there are';
  return {
    status: 'Unknown',
    reason: 'TargetNotFound',
    message: `no target ${said(name)} is configured: ${verb} ${there === '' ? 'none' : there}`,
  };
};

/** A name as configured ones are; of any other text nothing is repeated. */
const said = (name: string): string => (/^[a-z0-9-]{1,63}$/.test(name) ? name : 'of that name');
