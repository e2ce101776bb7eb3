// /targets/NAME/startupz, readyz, readyz/TAGSET and livez: the node's verdicts, for the node's container to point its probes at.

import type { Judgement } from '../verdict/judgement.ts';
import type { Judgements, TargetJudgements } from './verdict-status.ts';

export interface VerdictReply {
  readonly status: 200 | 404 | 503;
  readonly body: string;
}

const kinds = ['startupz', 'readyz', 'livez'] as const;

/** Most names listed to who asked for another. */
const mostNames = 100;

/** Undefined where the path is none of these. `untagged`: the name of the tag set that is the whole node, by target. */
export const verdictProbe = (
  path: string,
  verdicts: Judgements,
  untagged: (target: string) => string,
): VerdictReply | undefined => {
  const [, targets, name = '', kind = '', tagSet, ...rest] = path.split('/');
  if (targets !== 'targets' || rest.length > 0) return undefined;
  const of = verdicts.get(name);
  if (of === undefined) return notFound('target', name, verdicts.keys());
  if (tagSet !== undefined && kind !== 'readyz') return undefined;
  switch (kind) {
    case 'startupz':
      // A failed startup probe ends the node, so what may be a fault of our own does not fail it.
      return answer(of.started, 200);
    case 'readyz':
      return readiness(of, tagSet ?? untagged(name));
    case 'livez':
      return answer(of.live, 200);
    default:
      return { status: 404, body: `no such probe of target ${name}: there are ${kinds.join(', ')} and readyz/TAGSET\n` };
  }
};

const readiness = ({ ready }: TargetJudgements, tagSet: string): VerdictReply => {
  const judgement = ready.get(tagSet);
  return judgement === undefined ? notFound('tag set', tagSet, ready.keys()) : answer(judgement, 503);
};

const answer = ({ state, because }: Judgement, unknown: 200 | 503): VerdictReply => ({
  status: state === 'yes' ? 200 : state === 'no' ? 503 : unknown,
  body: `${state}: ${because}\n`,
});

const notFound = (what: string, name: string, names: Iterable<string>): VerdictReply => {
  const all = [...names];
  const more = all.length > mostNames ? ` and ${all.length - mostNames} more` : '';
  const given = name.length <= 63 && /^[a-z0-9-]+$/.test(name) ? `no ${what} ${name}` : `no such ${what}`;
  return { status: 404, body: `${given}: there are ${all.slice(0, mostNames).join(', ')}${more}\n` };
};
