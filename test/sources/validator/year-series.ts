// What the exporters of a year's validators had on /metrics: the source asks, observes and renders at each step.

import type { Answer, Client } from '../../../src/client/client.ts';
import type { Outcome } from '../../../src/client/outcome.ts';
import { targetFrom } from '../../../src/config/target.ts';
import { nodeIdOf } from '../../../src/node/identity.ts';
import type { NodeMethod, ResultOf } from '../../../src/protocol/methods.ts';
import { isOtherNode } from '../../../src/sources/source.ts';
import { validator } from '../../../src/sources/validator/validator.ts';
import { hold, info, inTurn, marks, type Series, scraped, scrapeLabels } from '../../rules/series.ts';
import { standingAt } from '../../support/stake-network.ts';
import { double, helicon, length, replaced, type Year } from './year.ts';

/** `v3` */
export const targetOf = (nth: number): string => `v${nth}`;

type Results = { readonly [M in NodeMethod]?: ResultOf<M> };

/** A client that sends nothing and returns these answers. */
const answering = (nodeId: string, at: number, results: Results): Client => {
  const answer = <T>(outcome: Outcome<T>): Answer<T> => ({ outcome, sentAt: at, endedAt: at, date: at, nodeId });
  const refused = { kind: 'rpc-error', code: -32_000, message: "couldn't get node uptime: not found" } as const;
  const silent = async () => answer<never>({ kind: 'refused', reason: 'not served' });
  return {
    health: silent,
    healthHealth: silent,
    readiness: silent,
    liveness: silent,
    indexRpc: silent,
    rpc: async <M extends NodeMethod>(method: M) => {
      const value: ResultOf<M> | undefined = results[method];
      return answer<ResultOf<M>>(value === undefined ? refused : { kind: 'ok', value });
    },
    keepsIdle: () => false,
    endWith: () => undefined,
    close: () => undefined,
  };
};

/** The answers of a node at this time; undefined while it is down. */
const answersAt = ({ observed, nodeIds }: Year, nth: number, at: number) => {
  const [own = ''] = [nodeIds[nth]];
  const upgrades = { 'info.upgrades': new Map([['helicon', helicon]]) };
  const isReplaced = nth === replaced.nth && at >= replaced.from && at < replaced.to;
  if (isReplaced) {
    const results: Results = { ...upgrades, 'platform.getCurrentValidators': { validators: [] } };
    return { nodeId: nodeIdOf(1000), results, connected: 1 };
  }
  if (!observed.observations.isUp(own, at)) return undefined;
  const standing = standingAt(observed, own, at);
  if (standing === undefined)
    return { nodeId: own, results: { ...upgrades, 'platform.getCurrentValidators': { validators: [] } }, connected: 1 };
  const { startTime, endTime, stake: weight } = standing.own;
  const fourDecimals = (percent: number): number => Number(percent.toFixed(4));
  const results: Results = {
    ...upgrades,
    'info.uptime': {
      rewardingStakePercentage: fourDecimals(standing.view.rewardingStakePercentage),
      weightedAveragePercentage: fourDecimals(standing.view.weightedAveragePercentage),
    },
    'info.peers': { peers: Array.from(standing.peers.values(), (observedUptime) => ({ observedUptime })) },
    'platform.getCurrentValidators': { validators: [{ nodeId: own, startTime, endTime, weight }] },
  };
  return { nodeId: own, results, connected: standing.connectedStake };
};

const healthOf = (percentConnected: number, at: number) => {
  const checks = new Map([['P', { message: { networking: { percentConnected } }, contiguousFailures: 0 }]]);
  const answer = { outcome: { kind: 'ok', value: { checks, healthy: true } }, sentAt: at, endedAt: at } as const;
  return Promise.resolve({ reports: new Map([['all', answer]]), tags: new Map() });
};

type Values = Map<string, (number | undefined)[]>;

/** No alert reads these series, and promtool would take as long for them as for the others. */
const unread = /state="(?:on-track|unknown|not-validator)"/;

/** Samples of the source's families with the labels of a scrape. */
const validatorSeries = async (year: Year, nth: number, step: number, families: ReadonlySet<string>): Promise<Values> => {
  const options = { ...targetFrom({ name: targetOf(nth) }).options, validator: { enabled: true, expected: true } };
  const groups = validator.families.filter(({ definitions }) => definitions.some(({ name }) => families.has(name)));
  const labels = Object.entries(scrapeLabels(nth)).map(([name, value]) => `,${name}="${value}"`);
  const rendered = { target: `target="${targetOf(nth)}"`, maxAge: 180, wallOffset: 0, labels: labels.join('') };
  const values: Values = new Map();
  let state = validator.start(options);
  const put = (series: string, at: number, value: number): void => {
    const all = values.get(series) ?? [];
    values.set(series, all);
    all[at / step] = value;
  };
  for (let at = 0; at <= length; at += step) {
    const answers = answersAt(year, nth, at);
    put(`snowgauge_up{${rendered.target}${rendered.labels}}`, at, answers === undefined ? 0 : 1);
    if (answers === undefined) continue;
    const { nodeId, results, connected } = answers;
    const client = answering(nodeId, at, results);
    const of = { health: healthOf(connected, at) };
    const shared = { upgrades: () => client.rpc('info.upgrades', {}) };
    const neighbours = () => ({ before: [], after: [] });
    if (isOtherNode(state.nodeId, nodeId)) state = validator.replaced?.(state) ?? state;
    const asked = await validator.ask({ client, options, before: state, of, neighbours, shared });
    state = validator.observe(state, asked, { options, at, interval: 30, restarted: false, of: {} });
    for (const group of groups)
      for (const { definition, samples } of group.families(state, { ...rendered, now: at }))
        if (definition.type !== 'histogram' && families.has(definition.name))
          for (const line of samples.trimEnd().split('\n')) {
            const end = line.lastIndexOf(' ');
            const series = line.slice(0, end);
            if (!unread.test(series)) put(series, at, Number(line.slice(end)));
          }
  }
  return values;
};

/** In promtool's notation, with runs of equal values merged. */
const notation = (values: readonly (number | undefined)[], steps: number): string => {
  const parts: { value: number | undefined; many: number }[] = [];
  for (let at = 0; at < steps; at += 1) {
    const [value, last] = [values[at], parts.at(-1)];
    if (last !== undefined && last.value === value) last.many += 1;
    else parts.push({ value, many: 1 });
  }
  return parts.map(({ value, many }) => hold(value ?? '_', many)).join(' ');
};

/** Another value between two times. */
const between = ({ from, to }: { readonly from: number; readonly to: number }, step: number, steps: number) => {
  const [begin, end] = [Math.ceil(from / step), Math.ceil(to / step)];
  return (before: number | '_', meanwhile: number | '_'): string =>
    inTurn(hold(before, begin), hold(meanwhile, end - begin), hold(before, steps - end));
};

/** Which node each target is, and which process. */
const identitySeries = ({ nodeIds }: Year, step: number, steps: number): Series => {
  const url = 'http://127.0.0.1:9650';
  const mark = (nth: number): Series => ({
    snowgauge_health_run_mark_timestamp_seconds: marks(nth + 0.25, steps, step),
  });
  const ids = nodeIds.map((nodeId, nth) => {
    const other = nth === replaced.nth ? between(replaced, step, steps) : undefined;
    return scraped(
      {
        ...info(url, nodeId, other?.(1, '_') ?? hold(1, steps)),
        ...(other && info(url, nodeIdOf(1000), other('_', 1))),
        [`snowgauge_target_node_id_expected{node_id="${nodeId}"}`]: other?.(1, 0) ?? hold(1, steps),
        ...mark(nth),
      },
      nth,
      targetOf(nth),
      '',
    );
  });
  const twin = between(double, step, steps);
  const second = { ...info(url, nodeIds[double.nth] ?? '', twin('_', 1)), snowgauge_up: twin('_', 1), ...mark(99) };
  return Object.assign({}, ...ids, scraped(second, 99, 'twin', ''));
};

/** All series of these families for a year. */
export const yearSeries = async (year: Year, step: number, families: ReadonlySet<string>): Promise<Series> => {
  const steps = length / step + 1;
  const all: Record<string, string> = {};
  for (const nth of year.nodeIds.keys())
    for (const [series, values] of await validatorSeries(year, nth, step, families)) all[series] = notation(values, steps);
  return { ...all, ...identitySeries(year, step, steps) };
};
