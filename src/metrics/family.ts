// Families of samples, and the table rows that they are made from.

import type { Histogram } from '../snapshot/histogram.ts';
import { labelsText } from './labels.ts';

export type Unit = 'seconds' | 'bytes' | 'ratio' | 'boolean' | 'timestamp' | 'count' | 'info' | 'none';

/** The part of a family that does not depend on samples: the HELP line and the line in docs/metrics.md. */
export interface Definition {
  readonly name: `${'snowgauge' | 'probe'}_${string}`;
  readonly labels: readonly string[];
  readonly unit: Unit;
  /** One sentence, with its full stop. */
  readonly help: string;
  /** Where the value comes from, in the terms of the node's interface. */
  readonly source: string;
  /** `beta`: name or meaning may still change in a minor version. Absent: stable. */
  readonly stability?: 'stable' | 'beta';
  /** The release that deprecated it, and the family to use instead. */
  readonly deprecated?: { readonly since: string; readonly use: string };
  /** The node's own metric for the same thing, if it has one. */
  readonly nodeMetric?: string;
}

export interface Described extends Definition {
  readonly type: 'gauge' | 'counter' | 'histogram';
}

export interface Family {
  readonly definition: Described;
  /** One line per sample, the same in both formats. Empty only if `isSame`. */
  readonly samples: string;
  /** The samples are the same as in the previous rendering. Only set if there was one to compare with. */
  readonly isSame?: true;
}

/** The labels and values that the samples of a group were rendered from. */
interface RenderedGroup {
  /** Of all subjects, in one flat list: a list per subject would need more memory than its labels. */
  readonly labels: readonly string[];
  /** Row by row, one value per subject; NaN if there is no sample, and for histograms. */
  readonly values: readonly number[];
}

/** By the rows of the group. */
export type Rendering = ReadonlyMap<object, RenderedGroup>;

/** A definition, and how to read the value of a subject; undefined: no sample. */
export type Row<Subject> = Definition &
  (
    | { readonly type: 'gauge' | 'counter'; readonly value: (subject: Subject) => number | undefined }
    | { readonly type: 'histogram'; readonly value: (subject: Subject) => Histogram | undefined }
  );

/** The time and the target that families are rendered for. */
export interface RenderContext {
  /** The label `target`, which is the first one of every series: `target="NAME"`. */
  readonly target: string;
  /** Seconds, exporter's steady clock, like all times in the state. */
  readonly now: number;
  /** Seconds after which a value of a source is stale, and no longer exported. */
  readonly maxAge: number;
  /** Wall clock − steady clock: added to a time of the state when it is exported. */
  readonly wallOffset: number;
  /** The configured labels, which are the last ones of every series of the target, each after a comma. */
  readonly labels: string;
  /** To skip unchanged families: what the previous rendering was made from, and where to store the same for this one. */
  readonly rendering?: { readonly before: Rendering | undefined; readonly after: Map<object, RenderedGroup> };
}

/** Families that are made from one value. For those of a target, `labels` of the rows begin with `target`, which is added here. */
export interface FamilyGroup<Of> {
  readonly definitions: readonly Described[];
  families(of: Of, context: RenderContext): readonly Family[];
}

export const helpText = ({ help, source, deprecated }: Definition): string =>
  `${deprecated === undefined ? '' : `(Deprecated since ${deprecated.since}, use ${deprecated.use}) `}${help} Source: ${source}.`;

export const flag = (value: boolean): number => (value ? 1 : 0);

/**
 * One family per row, with one sample per subject. All rows have the same labels. `labelsOf`: the values after that of `target`; by default,
 * there are none.
 */
export const group = <Of, Subject>(
  rows: readonly Row<Subject>[],
  subjectsOf: (of: Of, context: RenderContext) => Iterable<Subject>,
  labelsOf: (subject: Subject) => readonly string[] = () => [],
): FamilyGroup<Of> => {
  const names = rows[0]?.labels.slice(1) ?? [];
  return {
    definitions: rows,
    families: (of, context) =>
      familiesFrom(
        rows,
        subjectsOf(of, context),
        labelsOf,
        (labels) => context.target + labelsText(names, labels) + context.labels,
        context.rendering,
      ),
  };
};

/** Groups that share an intermediate value, which is computed once for all of them. */
export const readOnce = <Of, Part>(
  read: (of: Of, context: RenderContext) => Part,
  groups: readonly FamilyGroup<Part>[],
): FamilyGroup<Of> => ({
  definitions: groups.flatMap(({ definitions }) => definitions),
  families: (of, context) => {
    const part = read(of, context);
    return groups.flatMap((one) => one.families(part, context));
  },
});

/** The same for families that are not about a target. */
export const collect = <Subject>(
  rows: readonly Row<Subject>[],
  subjects: Iterable<Subject>,
  labelsOf: (subject: Subject) => readonly string[],
): readonly Family[] => {
  const names = rows[0]?.labels ?? [];
  return familiesFrom(rows, subjects, labelsOf, (labels) => labelsText(names, labels).slice(1));
};

interface Labelled<Subject> {
  readonly subject: Subject;
  /** Its index among all subjects. */
  readonly at: number;
  readonly labels: string;
  /** The text between name and value. */
  readonly braced: string;
}

/** Families with samples, and unchanged ones. Most of the cost of a page is here, so there are no objects per sample. */
const familiesFrom = <Subject>(
  rows: readonly Row<Subject>[],
  subjects: Iterable<Subject>,
  labelsOf: (subject: Subject) => readonly string[],
  textOf: (labels: readonly string[]) => string,
  rendering?: RenderContext['rendering'],
): readonly Family[] => {
  const all = [...subjects];
  const labels = all.map(labelsOf);
  // Allocated at its final length, because it is kept: an array that grows reserves up to half as much again.
  const values = new Array<number>(rows.length * all.length).fill(Number.NaN);
  const previous = rendering?.before?.get(rows);
  // Subjects without labels can only be compared by their number.
  const before = previous?.values.length === values.length && hasLabels(previous, labels) ? previous : undefined;
  const families: Family[] = [];
  let labelled: readonly Labelled<Subject>[] | undefined;
  let end = 0;
  for (const row of rows) {
    const from = end;
    for (const subject of all) {
      values[end] = numberOf(row, subject);
      end += 1;
    }
    if (row.type !== 'histogram' && before !== undefined && isSameFrom(from, end, before.values, values)) {
      families.push({ definition: row, samples: '', isSame: true });
      continue;
    }
    labelled ??= labelledWith(all, labels, textOf);
    let samples = '';
    for (const one of labelled) samples += linesOf(row, one, values[from + one.at] ?? Number.NaN);
    if (samples !== '') families.push({ definition: row, samples });
  }
  // Reuse the strings of before: V8 has moved them to the old generation already, and new ones would have to be moved again.
  rendering?.after.set(rows, { labels: before?.labels ?? labels.flat(), values });
  return families;
};

const hasLabels = ({ labels }: RenderedGroup, all: readonly (readonly string[])[]): boolean => {
  let at = 0;
  for (const own of all)
    for (const one of own) {
      if (one !== labels[at]) return false;
      at += 1;
    }
  return at === labels.length;
};

const isSameFrom = (from: number, to: number, before: readonly number[], values: readonly number[]): boolean => {
  for (let at = from; at < to; at += 1) if (!Object.is(before[at], values[at])) return false;
  return true;
};

/** Renders the labels once for all rows. Of subjects with the same labels the first is used: Prometheus would silently drop one. */
const labelledWith = <Subject>(
  subjects: readonly Subject[],
  labelsOf: readonly (readonly string[])[],
  textOf: (labels: readonly string[]) => string,
): readonly Labelled<Subject>[] => {
  const labelled = new Map<string, Labelled<Subject>>();
  for (const [at, subject] of subjects.entries()) {
    const labels = textOf(labelsOf[at] ?? []);
    if (!labelled.has(labels)) labelled.set(labels, { subject, at, labels, braced: braced(labels) });
  }
  return [...labelled.values()];
};

/** NaN: no sample. */
const numberOf = <Subject>(row: Row<Subject>, subject: Subject): number => {
  const value = row.type === 'histogram' ? undefined : row.value(subject);
  return value !== undefined && Number.isFinite(value) ? value : Number.NaN;
};

/** The lines of one sample; empty if there is none. */
const linesOf = <Subject>(row: Row<Subject>, { subject, labels, braced }: Labelled<Subject>, value: number): string => {
  if (row.type !== 'histogram') return Number.isNaN(value) ? '' : `${row.name}${braced}${value}\n`;
  const histogram = row.value(subject);
  return histogram === undefined ? '' : histogramLines(row.name, labels, histogram);
};

const braced = (labels: string): string => (labels === '' ? ' ' : `{${labels}} `);

const histogramLines = (name: string, labels: string, { bounds, counts, sum }: Histogram): string => {
  const before = labels === '' ? '' : `${labels},`;
  let count = 0;
  let text = '';
  for (const [at, bound] of [...bounds, '+Inf'].entries()) {
    count += counts[at] ?? 0;
    text += `${name}_bucket{${before}le="${bound}"} ${count}\n`;
  }
  return `${text}${name}_sum${braced(labels)}${sum}\n${name}_count${braced(labels)}${count}\n`;
};
