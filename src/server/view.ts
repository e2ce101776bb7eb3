// What of everything known stands on one page: the worst first, and bounded, because a fleet may be large.

import type { Targets } from '../conditions/condition.ts';
import type { Fact, Level } from '../sources/source.ts';
import type { Sources } from '../sources/sources.ts';
import { factsOf } from '../sources/target-status.ts';
import { type ConfigurationStatus, configurationStatus } from './configuration.ts';
import { targetMark } from './marks.ts';
import { type Own, type Present, type TargetStatus, targetStatus } from './status.ts';
import type { Happening } from './strip.ts';

/** What the address asks for: one target by name, or the list from some place on. */
export interface Asking {
  readonly target?: string;
  readonly from: number;
}

export interface View {
  readonly version: string;
  /** Seconds since the Unix epoch by the wall clock, as all instants here. */
  readonly startedAt: number;
  readonly configuration?: ConfigurationStatus;
  readonly now: number;
  /** Of all targets. */
  readonly total: number;
  readonly counts: Readonly<Record<Level, number>>;
  /** The worst of all, without their checks. */
  readonly worst: readonly TargetStatus[];
  /** The lines of the list, worst first, without checks; none where every target is shown whole. */
  readonly rows: readonly TargetStatus[];
  readonly from: number;
  readonly whole: readonly TargetStatus[];
  /** Most checks shown of each of them. */
  readonly maxChecks: number;
  readonly selected?: string;
  /** What its sources list about a node. */
  readonly facts: (target: TargetStatus) => readonly Fact[];
  /** What happened to a target, oldest first. */
  readonly happenings: (target: string) => readonly Happening[];
  /** From when on they are known, where older ones are forgotten. */
  readonly heldFrom: (target: string) => number | undefined;
  /** Asked for, and not among the targets. */
  readonly unknownTarget?: string;
}

export const maxRows = 50;
/** So many targets or fewer stand whole on the page, and no list of them. */
export const maxWithoutList = 3;
/** Beside a list: the worst of those that are bad. */
export const maxWholeBesideList = 4;

const checksAlone = 200;
const checksBesideOthers = 25;

export const askedFor = (params: URLSearchParams): Asking => {
  const target = params.get('target')?.trim();
  const from = params.get('from') ?? '0';
  return { from: /^\d{1,6}$/.test(from) ? Number(from) : 0, ...(target !== undefined && target !== '' && { target }) };
};

export type Past = Pick<View, 'happenings' | 'heldFrom'>;

export const viewOf = (
  table: Sources,
  targets: Targets,
  past: Past,
  own: Own,
  present: Present,
  { target: name, from }: Asking,
): View => {
  const statusOf = (of: string, detail: 'whole' | 'outline'): readonly TargetStatus[] => {
    const target = targets.get(of);
    return target === undefined ? [] : [targetStatus(table, target, present, detail)];
  };
  // Each is ranked once, and in one pass: a fleet is looked through at every event.
  const byLevel: Record<Level, TargetStatus[]> = { bad: [], warn: [], none: [], good: [] };
  for (const of of targets.keys()) for (const target of statusOf(of, 'outline')) byLevel[targetMark(target).level].push(target);
  const { bad, warn, none, good } = byLevel;
  const ranked = [...bad, ...warn, ...none, ...good];
  const whole = (shown: readonly TargetStatus[]): readonly TargetStatus[] =>
    shown.flatMap((target) => statusOf(target.name, 'whole'));
  const all = {
    version: own.version,
    startedAt: own.startedAt + present.wallOffset,
    ...(own.configuration !== undefined && { configuration: configurationStatus(own.configuration, present.wallOffset) }),
    now: present.now + present.wallOffset,
    facts: (target: TargetStatus) => factsOf(table, target),
    total: ranked.length,
    counts: { bad: bad.length, warn: warn.length, none: none.length, good: good.length },
    worst: ranked.slice(0, maxRows),
    from: 0,
    maxChecks: checksBesideOthers,
    ...past,
  };
  const selected = ranked.find((target) => target.name === name);
  if (selected !== undefined)
    return { ...all, rows: [], whole: whole([selected]), selected: selected.name, maxChecks: checksAlone };
  const start = from < ranked.length ? from : 0;
  const listed = {
    ...all,
    rows: ranked.slice(start, start + maxRows),
    from: start,
    ...(name !== undefined && { unknownTarget: name }),
  };
  if (ranked.length > maxWithoutList) {
    const ill = start > 0 || name !== undefined ? [] : bad;
    return { ...listed, whole: whole(ill.slice(0, maxWholeBesideList)) };
  }
  return { ...listed, rows: [], whole: whole(ranked), maxChecks: ranked.length === 1 ? checksAlone : checksBesideOthers };
};
