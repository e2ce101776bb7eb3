// Checks consecutive pages of metrics: required families of every target, counters that must not decrease, and series that must not be
// missing.

import { parseExposition } from '../support/exposition-parser.ts';
import { comesAndGoes, type Expected, mayMiss, type Page, type Shown } from './holes.ts';
import { type Family, labelIn, readPage, type Sample } from './read-page.ts';

interface Scrape {
  readonly at: number;
  readonly page: Page;
  readonly targets: readonly Expected[];
}

export type PageWatch = ReturnType<typeof pageWatch>;

const always = ['target_info', 'polls_total', 'poll_duration_seconds', 'node_restarts_total'].map((name) => `snowgauge_${name}`);
const oncePolled = ['snowgauge_up', 'snowgauge_target_condition'];

/** Check intervals after which there must be a report, or a failed poll. */
const reported = 2.6;

const mostFaults = 50;

/** `tell`: called with each fault when it is found. */
export const pageWatch = (tell: (text: string) => void) => {
  /** By target, with the empty name for the exporter: the last value of each counter series. */
  const counters = new Map<string, Map<string, number>>();
  /** HELP and TYPE by family. */
  const declared = new Map<string, string>();
  /** The last two scrapes. */
  let last: readonly Scrape[] = [];
  const faults: string[] = [];
  let scrapes = 0;
  const fault = (at: number, text: string): void => {
    if (faults.length >= mostFaults) return;
    faults.push(`${new Date(at * 1000).toISOString()}: ${text}`);
    tell(`fault: ${faults.at(-1)}`);
  };

  const grow = (target: string, series: string, value: number, at: number): void => {
    const known = counters.get(target) ?? new Map<string, number>();
    counters.set(target, known);
    const before = known.get(series);
    if (before !== undefined && !(value >= before)) fault(at, `${series} went back from ${before} to ${value}`);
    known.set(series, value);
  };
  const show = (page: Map<string, Shown>, { family, series, value }: Sample, at: number): void => {
    const target = labelIn(series, 'target');
    if (family.type !== 'gauge' && series.startsWith('snowgauge_')) grow(target, series, value, at);
    const one = page.get(target) ?? newShown();
    page.set(target, one);
    one.families.add(family.name);
    one.series.set(series, family);
    if (family.name === 'snowgauge_up') one.up = value;
    else if (family.name === 'snowgauge_last_report_timestamp_seconds') one.lastReport = value;
    else if (family.name === 'snowgauge_check_healthy') one.checks.add(labelIn(series, 'check'));
  };
  const declare = (families: ReadonlyMap<string, Family>, at: number): void => {
    for (const [name, before] of declared) {
      const now = families.get(name)?.declared;
      if (now === undefined) {
        declared.delete(name);
        if (!comesAndGoes.has(name)) fault(at, `${name} is no longer on the page`);
      } else if (now !== before) fault(at, `${name} was declared as "${before}", and is as "${now}"`);
    }
    for (const [name, family] of families) if (!declared.has(name)) declared.set(name, family.declared);
  };
  const compare = ({ name, node, interval, staleAfter, since }: Expected, one: Shown | undefined, at: number): void => {
    if (one === undefined) {
      fault(at, `${name} is not on the page`);
      return;
    }
    const expected = since < at - reported * interval ? [...always, ...oncePolled] : always;
    for (const family of expected) if (!one.families.has(family)) fault(at, `${name} lacks ${family}`);
    const age = at - one.lastReport;
    const isDue = since < at - reported * interval && node.answersFrom(at - reported * interval, at);
    if (isDue && one.up !== 1) fault(at, `${name} is not up, though it answered for ${reported} intervals`);
    if (one.up !== 1) return;
    if (age > (staleAfter + 0.2) * interval) fault(at, `${name} is up with a report that is ${age} s old`);
    const names = node.namesAt(one.lastReport);
    if (names.length !== one.checks.size || !names.every((check) => one.checks.has(check)))
      fault(at, `${name} shows the checks ${[...one.checks].sort()}, and has ${[...names].sort()}`);
  };
  /** Series that the middle page lacks, and the pages before and after it have. */
  const findHoles = (before: Scrape, between: Scrape, after: Page): void => {
    for (const [target, { series }] of before.page) {
      const [is, next] = [between.page.get(target), after.get(target)];
      const expected = between.targets.find(({ name }) => name === target);
      for (const [one, family] of series) {
        const isMissing = is?.series.has(one) !== true && next?.series.has(one) === true;
        if (isMissing && !mayMiss(family, is, expected, between.at)) fault(between.at, `${one} is missing in one scrape`);
      }
    }
  };

  return {
    faults,
    fault,
    scrapes: () => scrapes,
    scraped: (text: string, at: number, targets: readonly Expected[]): Page => {
      // The strict parser is slow.
      if (scrapes % 200 === 0) parseExposition(text, 'text');
      scrapes += 1;
      const page = new Map<string, Shown>();
      const families = readPage(
        text,
        (sample) => show(page, sample, at),
        (what) => fault(at, what),
      );
      declare(families, at);
      for (const target of targets) compare(target, page.get(target.name), at);
      const names = new Set(['', ...targets.map(({ name }) => name)]);
      for (const name of page.keys()) if (!names.has(name)) fault(at, `${name} is still on the page`);
      const [before, between] = last;
      if (before !== undefined && between !== undefined) findHoles(before, between, page);
      last = [...last.slice(-1), { at, page, targets }];
      return page;
    },
    /** Targets that a reload did not change must have all their series. */
    kept: (before: Page, after: Page, names: readonly string[], at: number): void => {
      for (const name of names) {
        const [was, is] = [before.get(name), after.get(name)];
        // A poll in between may have found other checks.
        if (was === undefined || (is !== undefined && is.lastReport > was.lastReport)) continue;
        // Series of tag sets change with subnets.
        for (const series of was.series.keys())
          if (is?.series.has(series) !== true && !series.includes('tag_set="')) fault(at, `the reload lost ${series}`);
      }
    },
    /** The target starts again, and its counters are reset. */
    forget: (name: string): void => {
      counters.delete(name);
      for (const { page } of last) page.delete(name);
    },
    /** The exporter starts again. */
    forgetAll: (): void => {
      counters.clear();
      declared.clear();
      last = [];
    },
  };
};

const newShown = (): Shown => ({ up: undefined, lastReport: 0, checks: new Set(), families: new Set(), series: new Map() });
