// Looks at one page of metrics after the other: what every target has to show, and what never goes back.

import { parseExposition } from '../support/exposition-parser.ts';
import type { ModelNode } from './model-node.ts';

/** A target as it is configured now. */
export interface Expected {
  readonly name: string;
  readonly node: ModelNode;
  /** Seconds; of its check interval. */
  readonly interval: number;
  /** Check intervals after which a report is no longer shown. */
  readonly staleAfter: number;
  /** Since when it is asked what it is asked. */
  readonly since: number;
}

/** What one page shows of a target. */
interface Shown {
  up: number | undefined;
  lastReport: number;
  readonly checks: Set<string>;
  readonly families: Set<string>;
  /** Without those of tag sets, which come and go with subnets. */
  readonly series: Set<string>;
}

export type PageWatch = ReturnType<typeof pageWatch>;

const always = ['up', 'target_info', 'target_condition', 'polls_total', 'poll_duration_seconds_count', 'node_restarts_total'];

/** Check intervals after which a report is due for certain. */
const reported = 2.6;

const mostFaults = 50;

export const pageWatch = () => {
  /** By target, for the exporter the empty text: the highest value of each series that only grows. */
  const counters = new Map<string, Map<string, number>>();
  const faults: string[] = [];
  let scrapes = 0;
  const fault = (at: number, text: string): void => {
    if (faults.length >= mostFaults) return;
    faults.push(`${new Date(at * 1000).toISOString()}: ${text}`);
    console.error(`fault: ${faults.at(-1)}`);
  };

  const grow = (target: string, series: string, value: number, at: number): void => {
    const known = counters.get(target) ?? new Map<string, number>();
    counters.set(target, known);
    const before = known.get(series);
    if (before !== undefined && !(value >= before)) fault(at, `${series} went back from ${before} to ${value}`);
    // A copy: a part of a text keeps the whole of it in memory.
    known.set(before === undefined ? Buffer.from(series).toString() : series, value);
  };
  const read = (text: string, at: number, isWhole: boolean): ReadonlyMap<string, Shown> => {
    const shown = new Map<string, Shown>();
    let grows = false;
    for (const line of text.split('\n')) {
      if (line.startsWith('#')) {
        if (line.startsWith('# TYPE')) grows = line.endsWith(' counter') || line.endsWith(' histogram');
        continue;
      }
      const end = line.lastIndexOf(' ');
      const [series, value] = [line.slice(0, end), Number(line.slice(end + 1))];
      const target = labelIn(series, 'target');
      if (grows && series.startsWith('snowgauge_')) grow(target, series, value, at);
      if (target === '') continue;
      const one = shown.get(target) ?? newShown();
      shown.set(target, one);
      const name = series.slice('snowgauge_'.length, series.indexOf('{'));
      one.families.add(name);
      if (name === 'up') one.up = value;
      else if (name === 'last_report_timestamp_seconds') one.lastReport = value;
      else if (name === 'check_healthy') one.checks.add(labelIn(series, 'check'));
      if (isWhole && !series.includes('tag_set="')) one.series.add(series);
    }
    return shown;
  };
  const compare = ({ name, node, interval, staleAfter, since }: Expected, one: Shown | undefined, at: number): void => {
    if (one === undefined) {
      fault(at, `${name} is not on the page`);
      return;
    }
    for (const family of always) if (!one.families.has(family)) fault(at, `${name} lacks snowgauge_${family}`);
    const age = at - one.lastReport;
    const isDue = since < at - reported * interval && node.answersFrom(at - reported * interval, at);
    if (isDue && one.up !== 1) fault(at, `${name} is not up, though it answered for ${reported} intervals`);
    if (one.up !== 1) return;
    if (age > (staleAfter + 0.2) * interval) fault(at, `${name} is up with a report that is ${age} s old`);
    const names = node.namesAt(one.lastReport);
    if (names.length !== one.checks.size || !names.every((check) => one.checks.has(check)))
      fault(at, `${name} shows the checks ${[...one.checks].sort()}, and has ${[...names].sort()}`);
  };

  return {
    faults,
    fault,
    scrapes: () => scrapes,
    /** `isWhole`: also gives the series of each target. */
    scraped: (text: string, at: number, targets: readonly Expected[], isWhole = false): ReadonlyMap<string, Shown> => {
      // Strict, and slow.
      if (scrapes % 200 === 0) parseExposition(text, 'text');
      scrapes += 1;
      const shown = read(text, at, isWhole);
      for (const target of targets) compare(target, shown.get(target.name), at);
      const names = new Set(targets.map(({ name }) => name));
      for (const name of shown.keys()) if (!names.has(name)) fault(at, `${name} is still on the page`);
      return shown;
    },
    /** Of targets that a reload changed nothing of, each series that was there is there. */
    kept: (before: ReadonlyMap<string, Shown>, after: ReadonlyMap<string, Shown>, names: readonly string[], at: number): void => {
      for (const name of names) {
        const [was, is] = [before.get(name), after.get(name)];
        // A poll meanwhile may have found other checks.
        if (was === undefined || (is !== undefined && is.lastReport > was.lastReport)) continue;
        for (const series of was.series) if (is?.series.has(series) !== true) fault(at, `the reload lost ${series}`);
      }
    },
    /** It begins again: what it has counted is gone. */
    forget: (name: string): void => {
      counters.delete(name);
    },
    /** The exporter begins again. */
    forgetAll: (): void => counters.clear(),
  };
};

const newShown = (): Shown => ({ up: undefined, lastReport: 0, checks: new Set(), families: new Set(), series: new Set() });

const labelIn = (series: string, label: string): string => {
  const from = series.indexOf(`${label}="`);
  const start = from + label.length + 2;
  const isWhole = from > 0 && (series[from - 1] === '{' || series[from - 1] === ',');
  return isWhole ? series.slice(start, series.indexOf('"', start)) : '';
};
