// What a page is made of: families of samples, and the rows that make them.

import type { Histogram } from '../snapshot/histogram.ts';
import { labelsKey, labelValue } from './labels.ts';

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

/** Label values in the order of the definition's `labels`. */
export interface Sample<Value> {
  readonly labels: readonly string[];
  readonly value: Value;
}

export type Family = Definition &
  (
    | { readonly type: 'gauge' | 'counter'; readonly samples: readonly Sample<number>[] }
    | { readonly type: 'histogram'; readonly samples: readonly Sample<Histogram>[] }
  );

export type Described = Definition & Pick<Family, 'type'>;

/** A definition and how it is read from each subject; undefined gives no sample. */
export type Row<Subject> = Definition &
  (
    | { readonly type: 'gauge' | 'counter'; readonly value: (subject: Subject) => number | undefined }
    | { readonly type: 'histogram'; readonly value: (subject: Subject) => Histogram | undefined }
  );

/** At which instant, and for whom, families are made. */
export interface RenderContext {
  /** The value of the label `target`. */
  readonly target: string;
  /** Seconds, exporter's steady clock, as all instants of the state. */
  readonly now: number;
  /** Seconds after which what a source said is no longer shown. */
  readonly maxAge: number;
  /** Wall clock − steady clock: what is added to an instant of the exporter's to show it. */
  readonly wallOffset: number;
  /** The configured labels, which stand last on every series of the target. */
  readonly labels: Readonly<Record<string, string>>;
}

/** Families that are made from one value. Of a target, `labels` of the rows begin with `target`, which is added here. */
export interface FamilyGroup<Of> {
  readonly definitions: readonly Described[];
  families(of: Of, context: RenderContext): readonly Family[];
}

export const helpText = ({ help, source, deprecated }: Definition): string =>
  `${deprecated === undefined ? '' : `(Deprecated since ${deprecated.since}, use ${deprecated.use}) `}${help} Source: ${source}.`;

export const flag = (value: boolean): number => (value ? 1 : 0);

/** A family a row, a sample a subject. `labelsOf`: the values after that of `target`. */
export const group = <Of, Subject>(
  rows: readonly Row<Subject>[],
  subjectsOf: (of: Of, context: RenderContext) => Iterable<Subject>,
  labelsOf: (subject: Subject) => readonly string[],
): FamilyGroup<Of> => ({
  definitions: rows,
  families: (of, context) => {
    const [names, values] = [Object.keys(context.labels), Object.values(context.labels)];
    const labelled = rows.map((row): Row<Subject> => ({ ...row, labels: [...row.labels, ...names] }));
    return collect(labelled, subjectsOf(of, context), (subject) => [context.target, ...labelsOf(subject), ...values]);
  },
});

/** A family a row, a sample a subject. Of subjects whose labels are equal the first counts: Prometheus would drop one unasked. */
export const collect = <Subject>(
  rows: readonly Row<Subject>[],
  subjects: Iterable<Subject>,
  labelsOf: (subject: Subject) => readonly string[],
): readonly Family[] => {
  const labelled = new Map<string, { readonly subject: Subject; readonly labels: readonly string[] }>();
  for (const subject of subjects) {
    const labels = labelsOf(subject).map(labelValue);
    const key = labelsKey(labels);
    if (!labelled.has(key)) labelled.set(key, { subject, labels });
  }

  const read = <Value>(value: (subject: Subject) => Value | undefined): readonly Sample<Value>[] => {
    const samples: Sample<Value>[] = [];
    for (const { subject, labels } of labelled.values()) {
      const found = value(subject);
      if (found !== undefined && (typeof found !== 'number' || Number.isFinite(found))) samples.push({ labels, value: found });
    }
    return samples;
  };

  return rows.map(
    (row): Family => (row.type === 'histogram' ? { ...row, samples: read(row.value) } : { ...row, samples: read(row.value) }),
  );
};
