// The current state that pages and JSON are rendered from, and the values that their validity depends on.

import type { ServerInputs } from './inputs.ts';
import type { Subject } from './page-route.ts';
import { secondOf } from './status.ts';

export interface SubjectSource {
  /** The state that a reply is rendered from. */
  readonly subject: () => Subject;
  /** The values that a reply depends on: a cached reply is valid while all of them are the same. */
  readonly madeOf: () => readonly unknown[];
}

export const subjectSource = ({ state, shards, now, version, eventHistory }: ServerInputs): SubjectSource => {
  const subject = (): Subject => {
    const { targets, startedAt, configuration, discovery, wallOffset } = state();
    const own = { version, startedAt, configuration, discovery, shards: shards?.() };
    return { targets, own, now: now(), wallOffset };
  };
  const madeOf = (): readonly unknown[] => {
    const { version: changes, configuration, discovery, wallOffset } = state();
    return [secondOf({ now: now(), wallOffset }), changes, configuration, discovery, eventHistory?.newest()];
  };
  return { subject, madeOf };
};
