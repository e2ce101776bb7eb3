// The shipped configuration in a real Alertmanager: posts the alerts of a situation and compares the notifications. Only
// durations are shortened, and every receiver is a webhook.

import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import * as z from 'zod/mini';
import { type Receiver, startReceiver } from '../../src/drills/receiver.ts';
import { alerts as shipped } from '../../src/rules/alerts.ts';
import { isOfTarget } from '../../src/rules/rule.ts';
import { hastened, shippedFile, startAlertmanager } from '../support/alertmanager.ts';
import { runTool } from '../support/run-tool.ts';
import { describeWith } from '../support/tools.ts';
import { until } from '../support/until.ts';
import type { World } from './case.ts';
import { fires } from './cases.ts';
import { labelsOf } from './promtool.ts';

type Labels = Readonly<Record<string, string>>;

/** The labels with which the shipped rules fire the alert; the cases of the alert verify them. */
const fired = (name: string, where: Readonly<Record<string, string | undefined>> = {}): Labels => {
  const one = fires.find(({ alert: of, labels }) => of === `Snowgauge${name}` && labels?.tag_set === where.tag_set);
  if (one === undefined) throw new Error(`there is no case in which ${name} fires so`);
  return { alertname: one.alert, ...labelsOf(one) };
};

/** An alert of a severity that the rules do not use there. */
const alert = (name: string, severity: string, labels: Labels = {}): Labels => ({
  ...fired('PeersLow'),
  alertname: `Snowgauge${name}`,
  severity,
  ...labels,
});

const subnet = { tag_set: 'my-l1' };
const [down, frozen, database] = [fired('TargetDown'), fired('HealthFrozen'), fired('ReadinessLost')];
const [unready, unhealthy] = [fired('ReadinessLost', subnet), fired('Unhealthy', subnet)];
const [chain, gap, incomplete] = [fired('ConnectedStakeLow'), fired('IndexIntegrityErrors'), fired('IndexIncomplete')];
const [peers, stalled] = [fired('PeersLow'), fired('IndexStalled')];
/** Of the target as a whole, widest first. */
const whole = [down, frozen, database];

const tagSets = ['all', 'primary', 'alpha', 'beta', 'gamma'];
const inEveryTagSet = [unready, unhealthy].flatMap((one) => tagSets.map((name) => ({ ...one, tag_set: name })));

const hasOtherIdentity = ({ set = [] }: World): boolean => set.some((text) => text.startsWith('identity='));

/** Every target alert with the labels with which it fires. */
const ofTarget = shipped
  .filter(({ scope }) => [scope].flat().some(isOfTarget))
  .flatMap(({ name }) =>
    fires.filter((one) => one.alert === name && !hasOtherIdentity(one)).map((one) => ({ alertname: name, ...labelsOf(one) })),
  );

/** Overrides labels; undefined removes one. External labels add the cluster, and relabeling may add the network. */
const at = (those: readonly Labels[], where: Readonly<Record<string, string | undefined>>): readonly Labels[] =>
  those.map((one) => {
    for (const [name, value] of Object.entries(where))
      if (value !== undefined && !['cluster', 'network'].includes(name)) expect(Object.keys(one)).toContain(name);
    const labels = Object.entries({ ...one, ...where });
    return Object.fromEntries(labels.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
  });
const sidecar = (pod: string) => ({ namespace: 'nodes', pod });
const alone = { namespace: 'nodes', pod: undefined, target: 'validator-1' };
const fleet = ['a', 'b', 'c', 'd', 'e'];

const named = ({ alertname = '' }: Labels): string => alertname.replace(/^Snowgauge/, '');
const said = (one: Labels): string => `${named(one)}${one.pod === undefined ? '' : ` ${one.pod}`}`;

interface Situation {
  readonly title: string;
  readonly alerts: readonly Labels[];
  /**
   * A line per notification: the receiver, and each alert with the first of `pod`, `target` and `tag_set` that distinguishes it.
   */
  readonly notified: readonly string[];
}

const situations: readonly Situation[] = [
  {
    title: 'one node that is down causes one page, whatever else fires for it',
    alerts: at([...whole, ...inEveryTagSet, peers, chain, stalled], alone),
    notified: ['pager: TargetDown'],
  },
  {
    title: 'a target that is down or missing inhibits all its other alerts except those never inhibited',
    alerts: at(ofTarget, { ...alone, network: undefined }),
    notified: [
      'chat: NodeIdChanged',
      'chat: ReplicasDisagree',
      'chat: RewardLost, StakingEndsSoon, UptimeLow, UptimeSeenWorse, ValidatorBalanceLow',
      'pager: IndexDisagrees, IndexIntegrityErrors',
      'pager: NodeIdUnexpected',
      'pager: RewardAtRisk, ValidatorBalanceEnding, ValidatorInactive',
      'pager: TargetDown, TargetMissing',
    ],
  },
  ...whole.flatMap((root, nth) =>
    [...whole.slice(nth + 1), unready, stalled].map((other) => ({
      title: `${named(root)} inhibits ${named(other)} of scope ${other.scope}`,
      alerts: at([root, other], alone),
      notified: [`pager: ${named(root)}`],
    })),
  ),
  {
    title: 'five nodes behind one failed switch are one group and one notification',
    alerts: fleet.flatMap((pod) => at([down, unready, peers], sidecar(pod))),
    notified: ['pager: TargetDown a, TargetDown b, TargetDown c, TargetDown d, TargetDown e'],
  },
  {
    title: 'a closed database with five tag sets causes one page',
    alerts: at([database, ...inEveryTagSet], alone),
    notified: ['pager: ReadinessLost'],
  },
  {
    title: 'an unready subnet causes one page, and a warning that joins the group does not delay it',
    alerts: at([unready, unhealthy], alone),
    notified: ['chat: Unhealthy', 'pager: ReadinessLost'],
  },
  {
    title: 'two pods of one target name do not inhibit each other',
    alerts: [...at([down, unready], sidecar('a')), ...at([unready], sidecar('b'))],
    notified: ['pager: ReadinessLost b', 'pager: TargetDown a'],
  },
  {
    title: 'two targets of one exporter do not inhibit each other',
    alerts: [...at([down], alone), ...at([unready], { ...alone, target: 'validator-2' })],
    notified: ['pager: ReadinessLost', 'pager: TargetDown'],
  },
  {
    title: 'two namespaces do not inhibit each other',
    alerts: [...at([down], sidecar('a')), ...at([unready], { ...sidecar('a'), namespace: 'others' })],
    notified: ['pager: ReadinessLost a', 'pager: TargetDown a'],
  },
  {
    title: 'two clusters do not inhibit each other and are two groups',
    alerts: [...at([down], sidecar('a')), ...at([unready, down], { ...sidecar('b'), cluster: 'second' })],
    notified: ['pager: TargetDown a', 'pager: TargetDown b'],
  },
  {
    title: 'the same pod in another cluster is another node',
    alerts: [...at([down], sidecar('a')), ...at([unready], { ...sidecar('a'), cluster: 'second' })],
    notified: ['pager: ReadinessLost a', 'pager: TargetDown a'],
  },
  {
    title: 'two networks are two groups',
    alerts: [...at([down], { ...sidecar('a'), network: 'fuji' }), ...at([down], { ...sidecar('b'), network: 'mainnet' })],
    notified: ['pager: TargetDown a', 'pager: TargetDown b'],
  },
  {
    title: 'a node that is down inhibits alerts that fired before its network was known',
    alerts: [...at([down], { ...alone, network: 'fuji' }), ...at([unready, peers], alone)],
    notified: ['pager: TargetDown'],
  },
  {
    title: 'a warning of the node does not inhibit a page',
    alerts: at([peers, unready, unhealthy], alone),
    notified: ['chat: PeersLow', 'pager: ReadinessLost'],
  },
  {
    title: 'an unready subnet inhibits no alert on a chain or an index',
    alerts: at([unready, unhealthy, chain, stalled, incomplete], alone),
    notified: [
      'chat: ConnectedStakeLow',
      'chat: IndexIncomplete',
      'chat: Unhealthy',
      'pager: IndexStalled',
      'pager: ReadinessLost',
    ],
  },
  {
    title: 'low stake of a chain inhibits no alert on an index',
    alerts: at([chain, gap, incomplete], alone),
    notified: ['chat: ConnectedStakeLow', 'chat: IndexIncomplete', 'pager: IndexIntegrityErrors'],
  },
  {
    title: 'an unready node inhibits no alert on a damaged index',
    alerts: at([database, gap, fired('IndexDisagrees'), incomplete], alone),
    notified: ['pager: IndexDisagrees, IndexIntegrityErrors', 'pager: ReadinessLost'],
  },
  ...['NoMessages', 'NodeRestarting'].map((name) => ({
    title: `${name} is a root cause and inhibits NodeNotReady`,
    alerts: at([fired(name), database, unready, fired('Unhealthy'), fired('CheckFailing')], alone),
    notified: [`pager: ${name}`],
  })),
  {
    title: 'a node that is cut off does not inhibit the readiness alert of another node',
    alerts: [...at([fired('NoMessages')], sidecar('a')), ...at([database], sidecar('b'))],
    notified: ['pager: NoMessages a, ReadinessLost b'],
  },
  {
    title: 'an alert that may fire for days inhibits nothing',
    alerts: at([fired('UpgradeDeadlineNear'), fired('DiskLow'), database], alone),
    notified: ['pager: DiskLow, ReadinessLost, UpgradeDeadlineNear'],
  },
  {
    title: 'a warning that may fire for days inhibits nothing',
    alerts: at(
      [
        ...['ReplicasDisagree', 'VersionBehind', 'DiskFullPredicted', 'DisagreesWithNode', 'ErrorBudgetBurn'].map((name) =>
          fired(name),
        ),
        fired('UnknownTag', subnet),
        chain,
      ],
      { ...alone, network: undefined },
    ),
    notified: [
      'chat: ConnectedStakeLow',
      'chat: DisagreesWithNode, DiskFullPredicted, ErrorBudgetBurn, ReplicasDisagree, VersionBehind',
      'chat: UnknownTag',
    ],
  },
  {
    title: 'a stalled index first disagrees with its chain and causes one page; another index causes another',
    alerts: at([fired('IndexDisagrees'), fired('IndexStalled'), { ...fired('IndexStalled'), index: 'X/block' }], alone),
    notified: ['pager: IndexDisagrees, IndexStalled'],
  },
  {
    title: 'a failure of the whole fleet causes one page and inhibits no alert of a node',
    alerts: [fired('FleetFailing'), ...fleet.flatMap((pod) => at([unready], sidecar(pod)))],
    notified: ['pager: FleetFailing', `pager: ${fleet.map((pod) => `ReadinessLost ${pod}`).join(', ')}`],
  },
  {
    title: 'a network event inhibits no alert of a node and notifies nobody while its severity is info',
    alerts: [fired('NetworkEvent'), ...at([database], alone)],
    notified: ['pager: ReadinessLost'],
  },
  {
    title: 'an info alert of the node inhibits nothing',
    alerts: at([alert('Restarted', 'info'), unhealthy], alone),
    notified: ['chat: Unhealthy'],
  },
  {
    title: 'an alert with an unknown severity is delivered',
    alerts: at([alert('OfTheOperator', 'page')], alone),
    notified: ['chat: OfTheOperator'],
  },
  {
    title: 'foreign alerts neither inhibit ours nor are inhibited',
    alerts: [
      ...at([{ ...down, alertname: 'NodeDown' }, unready], alone),
      ...at([down, { ...unready, alertname: 'PodNotReady' }], { ...alone, target: 'validator-2' }),
    ],
    notified: ['others: NodeDown, PodNotReady', 'pager: ReadinessLost', 'pager: TargetDown'],
  },
  {
    title: 'the watchdog is delivered',
    alerts: [{ alertname: 'SnowgaugeWatchdog', severity: 'none' }],
    notified: ['watchdog: Watchdog'],
  },
];

const file = z.looseObject({ route: z.looseObject({}), receivers: z.array(z.object({ name: z.string() })) });

const matchers = z.array(z.string());
const inhibiting = z.looseObject({
  inhibit_rules: z.array(z.object({ source_matchers: matchers, target_matchers: matchers })),
});

/** As shipped except durations and receivers; foreign alerts, which the shipped configuration drops, get a receiver here. */
const withWebhooks = (text: string, webhook: string): string => {
  const { route, receivers, ...rest } = file.parse(parse(hastened(text)));
  const hook = { webhook_configs: [{ url: webhook, send_resolved: false }] };
  return JSON.stringify({
    ...rest,
    route: { ...route, receiver: 'others', group_by: ['cluster'], group_wait: '500ms', group_interval: '500ms' },
    receivers: [{ name: 'others', ...hook }, ...receivers.map(({ name }) => (name === 'nobody' ? { name } : { name, ...hook }))],
  });
};

const withCluster = (one: Labels, nth: number): Labels => ({
  ...one,
  cluster: one.cluster === undefined ? `${nth}` : `${nth}/${one.cluster}`,
});

for (const tool of ['alertmanager', 'prometheus-alertmanager']) {
  describeWith([tool], `notifications of ${tool}`, (program) => {
    const open: (() => Promise<void>)[] = [];
    let receiver: Receiver;

    /** Posts all situations at once, each with its own clusters, and waits until the last group has been flushed twice. */
    beforeAll(async () => {
      receiver = await startReceiver(() => Date.now() / 1000);
      open.push(receiver.close);
      const text = await readFile(shippedFile, 'utf8');
      const { post, close } = await startAlertmanager(program, () => withWebhooks(text, `${receiver.url}/notify`));
      open.push(close);
      const last = async (target: string): Promise<void> => {
        await post([{ labels: alert('Last', 'critical', { cluster: 'last', target }) }]);
        await until(`a notification of ${target}`, async () =>
          receiver.notifications().some(({ alerts }) => alerts.some((one) => one.target === target)),
        );
      };
      await post(situations.flatMap(({ alerts }, nth) => alerts.map((one) => ({ labels: withCluster(one, nth) }))));
      await last('first');
      await last('second');
    }, 600_000);
    afterAll(async () => {
      for (const close of open.toReversed()) await close();
    });

    const notificationsOf = (nth: number): readonly string[] => {
      const own = receiver.notifications().filter(({ alerts }) => alerts[0]?.cluster?.split('/')[0] === `${nth}`);
      return own.map(({ receiver: to, alerts }) => `${to}: ${alerts.map(said).sort().join(', ')}`).sort();
    };

    // Surplus notifications have arrived by now; on a busy machine one of many groups may still be late.
    test.each(situations.map((one, nth) => ({ ...one, nth })))('$title', ({ nth, notified }) =>
      expect.poll(() => notificationsOf(nth)).toEqual(notified),
    );
  });
}

/** A matcher such as `scope=~"chain|index"`. */
const isMatched = (matcher: string, one: Labels): boolean => {
  const [, name = '', operator = '', value = ''] = /^(\w+)(=|=~|!~)"(.*)"$/.exec(matcher) ?? [];
  const found = new RegExp(`^(?:${value})$`).test(one[name] ?? '');
  return found === (operator !== '!~');
};

test('each inhibition rule has source alerts, and target alerts of each scope that it names', async () => {
  const { inhibit_rules: rules } = inhibiting.parse(parse(await readFile(shippedFile, 'utf8')));
  expect(rules.length).toBeGreaterThan(5);
  for (const { source_matchers, target_matchers } of rules) {
    const those = (matchers: readonly string[]) => ofTarget.filter((one) => matchers.every((each) => isMatched(each, one)));
    const scopes = target_matchers.flatMap((one) => /^scope=~"(.*)"$/.exec(one)?.[1]?.split('|') ?? []);
    const hidden = new Set(those(target_matchers).map(({ scope }: Labels) => scope));
    expect({
      source_matchers,
      inhibits: those(source_matchers).length > 0,
      without: scopes.filter((one) => !hidden.has(one)),
    }).toEqual({ source_matchers, inhibits: true, without: [] });
    expect(hidden.size).toBeGreaterThan(0);
  }
});

describeWith(['amtool'], 'amtool check-config', (amtool) => {
  test('accepts the shipped configuration', async () => {
    expect(await runTool(amtool, ['check-config', shippedFile.pathname])).toContain('SUCCESS');
  });
});
