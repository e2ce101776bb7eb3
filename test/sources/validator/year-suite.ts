// A year of validators against the shipped alerts, evaluated by promtool.

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Staker } from '../../../src/node/platform/stake-network.ts';
import { rulesYaml } from '../../../src/rules/file.ts';
import { familiesIn, rulesFor } from '../../rules/promtool.ts';
import { complaints } from '../../rules/run-promtool.ts';
import { inFolder } from '../../support/chart.ts';
import { standingAt } from '../../support/stake-network.ts';
import { describeWith } from '../../support/tools.ts';
import { day, double, drawYear, hiddenNth, hour, length, lostAt, replaced, votesFor, type Year } from './year.ts';
import { targetOf, yearSeries } from './year-series.ts';

const atRisk = ['SnowgaugeRewardAtRisk', 'SnowgaugeUptimeLow'];
const lost = 'SnowgaugeRewardLost';
const notValidator = 'SnowgaugeNotValidator';
const seenWorse = 'SnowgaugeUptimeSeenWorse';
const [otherKey, twoNodes] = ['SnowgaugeNodeIdUnexpected', 'SnowgaugeNodeIdDuplicate'];
const names = [...atRisk, lost, notValidator, seenWorse, otherKey, twoNodes];

interface Loss {
  readonly target: string;
  readonly of: Staker;
  /** When the loss became certain. */
  readonly at: number;
}

type AlertState = 'firing' | 'pending' | 'firing|pending';

const alerting = (target: string, which: readonly string[], state: AlertState = 'firing'): string =>
  `ALERTS{alertstate=~"${state}", target=~"${target}", alertname=~"${which.join('|')}"}`;

const firing = (target: string, which: readonly string[]): string => `max by (target) (${alerting(target, which)})`;

/** Whether any alert on a reward fires, or takes over from another one. */
const told = 'test:told';

/**
 * A lost reward is at risk again while a peer that saw too little is disconnected: it may have seen more since. Then one alert takes
 * over from another. That takes an hour at most, while the new one is pending, but here a whole step.
 */
const toldExpr = (step: number): string => {
  const which = [...atRisk, lost];
  const before = `${alerting('.+', which, 'firing|pending')} offset ${step}s`;
  const begun = `${alerting('.+', which, 'pending')} unless on (target, alertname) ${before}`;
  return `${firing('.+', which)} or max by (target) (${begun}) and on (target) ${before}`;
};

const steps = (from: number, to: number, step: number): readonly number[] => {
  const first = Math.ceil(from / step);
  return Array.from({ length: Math.max(0, Math.floor(to / step) - first + 1) }, (_, nth) => (first + nth) * step);
};

const isUp = ({ observed: { observations } }: Year, { nodeId }: Staker, at: number): boolean => observations.isUp(nodeId, at);

/**
 * When the state of the reward was known, as ranges of steps: from the first time that the node was up in its period, except while less
 * than 80 % of the stake is connected.
 */
const stretches = (year: Year, of: Staker, from: number, to: number, step: number) => {
  const found: { from: number; to: number }[] = [];
  const first = steps(of.startTime, to, step).find((at) => isUp(year, of, at)) ?? to;
  for (const at of steps(Math.max(from, first), to, step)) {
    const connected = isUp(year, of, at) ? standingAt(year.observed, of.nodeId, at)?.connectedStake : 1;
    if ((connected ?? 0) < 0.8) continue;
    const last = found.at(-1);
    if (last?.to === at - step) last.to = at;
    else found.push({ from: at, to: at });
  }
  // An alert is pending for an hour.
  return found.map((one) => ({ ...one, from: one.from + 2 * Math.max(step, hour) })).filter((one) => one.from <= one.to);
};

/** A day before the loss was certain, or the last time before that with enough connected stake. */
const warnedBy = (year: Year, { of, at }: Loss, step: number): number | undefined =>
  stretches(year, of, of.startTime, at - day, step).at(-1)?.to;

/** Most stake would already not have paid, or the node stayed down from then on. Nobody can foresee a later sudden outage. */
const wasForeseeable = (year: Year, loss: Loss, step: number): boolean => {
  const { of, at } = loss;
  const warned = warnedBy(year, loss, step);
  if (warned === undefined) return false;
  const then = warned - 2 * Math.max(step, hour);
  return votesFor(year.observed, of, then) < 0.5 || !steps(then, at - step, step).some((one) => isUp(year, of, one));
};

interface Question {
  readonly expr: string;
  readonly eval_time: string;
  readonly exp_samples: readonly { readonly labels: string; readonly value: number }[];
}

/** No `value`: there must be no sample. */
const ask = (expr: string, at: number, labels = '', value?: number): Question => ({
  expr,
  eval_time: `${at}s`,
  exp_samples: value === undefined ? [] : [{ labels: `{${labels}}`, value }],
});

const over = (from: number, to: number): string => `[${to - from + 1}s]`;

/** No reward is reported lost before it is. */
const notMadeUp = ({ target, of, at = of.endTime }: Omit<Loss, 'at'> & Partial<Loss>, step: number): readonly Question[] => {
  const [from, to] = [Math.ceil(of.startTime / step) * step + 2 * step, Math.floor(Math.min(at, length) / step) * step];
  return from > to ? [] : [ask(`max_over_time(${alerting(target, [lost])}${over(from, to)})`, to)];
};

const foretold = (year: Year, one: Loss, step: number): Question =>
  ask(firing(one.target, atRisk), warnedBy(year, one, step) ?? 0, `target="${one.target}"`, 1);

/** From the loss until the end of the period. */
const notHidden = (year: Year, { target, of, at }: Loss, step: number): readonly Question[] =>
  stretches(year, of, at + step, Math.min(length, of.endTime - 1), step).map(({ from, to }) => {
    const labels = `target="${target}"`;
    return ask(`count_over_time(${told}{${labels}}${over(from, to)})`, to, labels, (to - from) / step + 1);
  });

/** At any time of the year; for all targets unless one is named. */
const ever = (alert: string, by: string, value: string, target = '.*'): Question =>
  ask(`group by (${by}) (max_over_time(${alerting(target, [alert])}[1y]))`, length, `${by}="${value}"`, 1);

const ofNodes = ({ nodeIds }: Year, step: number): readonly Question[] => {
  const [lostKey, hidden] = [targetOf(replaced.nth), targetOf(hiddenNth)];
  return [
    ever(otherKey, 'target', lostKey),
    ask(firing(lostKey, [notValidator]), replaced.to - step, `target="${lostKey}"`, 1),
    ever(twoNodes, 'node_id', nodeIds[double.nth] ?? ''),
    ever(seenWorse, 'target', hidden, hidden),
  ];
};

export const yearSuite = (tool: 'promtool' | 'promtool3', seed: number, step: number): void =>
  describeWith([tool], `a year of twenty validators, of seed ${seed}, every ${step / hour} h`, (promtool) => {
    test('alerts warn of each loss, hide none and invent none', { timeout: 600_000 }, async () => {
      const year = drawYear(seed);
      const rewards = year.observed.network.stakers.map((of) => {
        const [target, at] = [targetOf(year.nodeIds.indexOf(of.nodeId)), lostAt(year, of, step)];
        return { target, of, ...(at !== undefined && { at }) };
      });
      const losses = rewards.flatMap(({ at, ...one }) => (at !== undefined && at <= length ? [{ ...one, at }] : []));
      const foreseeable = losses.filter((one) => wasForeseeable(year, one, step));
      console.log(`${rewards.length} staking periods, ${losses.length} rewards lost, ${foreseeable.length} of them foreseeable`);
      expect(foreseeable.length).toBeGreaterThan(2);
      const questions = [
        ...rewards.flatMap((one) => notMadeUp(one, step)),
        ...foreseeable.map((one) => foretold(year, one, step)),
        ...losses.flatMap((one) => notHidden(year, one, step)),
        ...ofNodes(year, step),
      ];

      const asked = { name: 'asked', rules: [{ record: told, expr: toldExpr(step) }] };
      const groups = [...rulesFor(names), asked];
      const families = new Set(groups.flatMap(({ rules }) => rules.flatMap(({ expr }) => familiesIn(expr))));
      const series = await yearSeries(year, step, families);
      await inFolder(async (folder) => {
        const ruleFile = join(folder, 'rules.yaml');
        await writeFile(ruleFile, rulesYaml(groups));
        const interval = `${step}s`;
        const input_series = Object.entries(series).map(([name, values]) => ({ series: name, values }));
        const file = {
          rule_files: [ruleFile],
          evaluation_interval: interval,
          group_eval_order: groups.map(({ name }) => name),
          tests: [{ interval, input_series, promql_expr_test: questions }],
        };
        expect(await complaints(promtool, folder, [JSON.stringify(file)])).toBe('');
      });
    });
  });
