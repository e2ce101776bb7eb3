// What a page is made of: families of samples, and the rows that make them.

import type { Histogram } from '../snapshot/histogram.ts';
import { labelsText } from './labels.ts';

export type Unit = 'seconds' | 'bytes' | 'ratio' | 'boolean' | 'timestamp' | 'count' | 'info' | 'none';

/** What is said of a family whether or not it has samples: the HELP line and the line in docs/metrics.md. */
export interface Definition {
  readonly name: `${'snowgauge' | 'probe'}_${string}`;
  readonly labels: readonly string[];
  readonly unit: Unit;
  /** One sentence, with its full stop. */
  readonly help: string;
  /** Where the value comes from, in the words of the interface. */
  readonly source: string;
  /** `beta`: name or meaning may still change in a minor version. Absent: stable. */
  readonly stability?: 'stable' | 'beta';
  /** The release since which it is only kept for whoever still reads it, and the family to read instead. */
  readonly deprecated?: { readonly since: string; readonly use: string };
  /** What the node itself exports of the same thing, if anything. */
  readonly nodeMetric?: string;
}

export interface Described extends Definition {
  readonly type: 'gauge' | 'counter' | 'histogram';
}

export interface Family {
  readonly definition: Described;
  /** A line each, as both formats spell them; empty where `isSame`, and never otherwise. */
  readonly samples: string;
  /** The samples are those of the last time, if there were any. Only where a rendering was given to compare with. */
  readonly isSame?: true;
}

/** What the samples of a group were made of. */
interface RenderedGroup {
  /** Of all subjects, one after the other: a list for each would take more memory than what stands in it. */
  readonly labels: readonly string[];
  /** Row by row, of each subject; NaN where there is no sample, and of histograms. */
  readonly values: readonly number[];
}

/** By the rows of the group. */
export type Rendering = ReadonlyMap<object, RenderedGroup>;

/** A definition and how it is read from each subject; undefined gives no sample. */
export type Row<Subject> = Definition &
  (
    | { readonly type: 'gauge' | 'counter'; readonly value: (subject: Subject) => number | undefined }
    | { readonly type: 'histogram'; readonly value: (subject: Subject) => Histogram | undefined }
  );

/** At which instant, and for whom, families are made. */
export interface RenderContext {
  /** The label `target` as it stands first on every series: `target="NAME"`. */
  readonly target: string;
  /** Seconds, exporter's steady clock, as all instants of the state. */
  readonly now: number;
  /** Seconds after which what a source said is no longer shown. */
  readonly maxAge: number;
  /** Wall clock − steady clock: what is added to an instant of the exporter's to show it. */
  readonly wallOffset: number;
  /** The configured labels as they stand last on every series of the target, each after a comma. */
  readonly labels: string;
  /** Where families that say the same are not to be spelled again: what the last ones were made of, and where to write what these are. */
  readonly rendering?: { readonly before: Rendering | undefined; readonly after: Map<object, RenderedGroup> };
}

/** Families that are made from one value. Of a target, `labels` of the rows begin with `target`, which is added here. */
export interface FamilyGroup<Of> {
  readonly definitions: readonly Described[];
  families(of: Of, context: RenderContext): readonly Family[];
}

export const helpText = ({ help, source, deprecated }: Definition): string =>
  `${deprecated === undefined ? '' : `(Deprecated since ${deprecated.since}, use ${deprecated.use}) `}${help} Source: ${source}.`;

export const flag = (value: boolean): number => (value ? 1 : 0);

/** A family a row, a sample a subject. All rows have the same labels. `labelsOf`: the values after that of `target`. */
export const group = <Of, Subject>(
  rows: readonly Row<Subject>[],
  subjectsOf: (of: Of, context: RenderContext) => Iterable<Subject>,
  labelsOf: (subject: Subject) => readonly string[],
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

/** Groups that share what is read of one value, which is read once for all of them. */
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

/** The same of what is no target's. */
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
  /** Its place among all subjects. */
  readonly at: number;
  readonly labels: string;
  /** As they stand between name and value. */
  readonly braced: string;
}

/** Those that have samples, and those that say the same as before. Most of what a page costs is in here: no sample is an object. */
const familiesFrom = <Subject>(
  rows: readonly Row<Subject>[],
  subjects: Iterable<Subject>,
  labelsOf: (subject: Subject) => readonly string[],
  textOf: (labels: readonly string[]) => string,
  rendering?: RenderContext['rendering'],
): readonly Family[] => {
  const all = [...subjects];
  const labels = all.map(labelsOf);
  // At its length at once: it is kept, and a list that grows has room for half as much again.
  const values = new Array<number>(rows.length * all.length).fill(Number.NaN);
  const known = rendering?.before?.get(rows);
  // Subjects without labels differ in number alone.
  const before = known?.values.length === values.length && hasLabels(known, labels) ? known : undefined;
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
  // The labels of before: they are old, and new ones would become so.
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

/** Labels are spelled once for all rows. Of subjects whose labels are equal the first counts: Prometheus would drop one unasked. */
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

/** NaN where it gives no sample. */
const numberOf = <Subject>(row: Row<Subject>, subject: Subject): number => {
  const value = row.type === 'histogram' ? undefined : row.value(subject);
  return value !== undefined && Number.isFinite(value) ? value : Number.NaN;
};

/** Those of one sample; none where there is none. */
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
