// Families of the verdicts: what the probes answer. They stay whatever the node does, since a probe always answers.

import type { State, Verdicts } from '../verdict/judgement.ts';
import { collect, type Family, flag, type Row } from './family.ts';

interface Ready {
  readonly labels: readonly [target: string, tagSet: string];
  readonly state: State;
}

export const readyRows: readonly Row<Ready>[] = [
  {
    name: 'snowgauge_target_ready',
    type: 'gauge',
    labels: ['target', 'tag_set'],
    unit: 'boolean',
    help: '1 when the readiness probe of the tag set is answered with 200; 0 when the verdict is no or unknown.',
    source: 'GET /ext/health, by the rules in docs/probes.md',
    stability: 'stable',
    value: ({ state }) => flag(state === 'yes'),
  },
];

interface Whole {
  readonly target: string;
  readonly started: State;
  readonly live: State;
}

export const startedRows: readonly Row<Whole>[] = [
  {
    name: 'snowgauge_target_started',
    type: 'gauge',
    labels: ['target'],
    unit: 'boolean',
    help: '1 when the node is known to have started: the last poll got a report, healthy or not.',
    source: 'GET /ext/health, by the rules in docs/probes.md',
    stability: 'stable',
    value: ({ started }) => flag(started === 'yes'),
  },
  {
    name: 'snowgauge_target_live',
    type: 'gauge',
    labels: ['target'],
    unit: 'boolean',
    help: '1 when the liveness probe is answered with 200; 0 when a restart could help the node.',
    source: 'GET /ext/health, by the rules in docs/probes.md',
    stability: 'stable',
    value: ({ live }) => flag(live !== 'no'),
  },
];

export const verdictFamilies = (verdicts: Verdicts): readonly Family[] => {
  const all = [...verdicts];
  const ready = all.flatMap(([target, of]) =>
    Array.from(of.ready, ([tagSet, { state }]): Ready => ({ labels: [target, tagSet], state })),
  );
  const whole = all.map(([target, { started, live }]): Whole => ({ target, started: started.state, live: live.state }));
  return [...collect(readyRows, ready, ({ labels }) => labels), ...collect(startedRows, whole, ({ target }) => [target])];
};
