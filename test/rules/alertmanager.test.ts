// The shipped configuration in a real Alertmanager: alerts of a situation go in, and what comes out is compared with what it should
// be, notification by notification. Only durations are shortened, and every receiver is a webhook.

import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import * as z from 'zod/mini';
import { type Receiver, startReceiver } from '../../src/drills/receiver.ts';
import { hastened, shippedFile, startAlertmanager } from '../support/alertmanager.ts';
import { runTool } from '../support/run-tool.ts';
import { describeWith } from '../support/tools.ts';
import { until } from '../support/until.ts';

type Labels = Readonly<Record<string, string>>;

const alert = (name: string, severity: string, scope: string, labels: Labels = {}): Labels => ({
  alertname: `Snowgauge${name}`,
  severity,
  scope,
  ...labels,
});

const down = alert('TargetDown', 'critical', 'target');
const frozen = alert('HealthFrozen', 'critical', 'frozen');
const database = alert('CheckFailing', 'critical', 'node', { check: 'database' });
const unready = alert('ReadinessLost', 'critical', 'tag_set', { tag_set: 'alpha' });
const unhealthy = alert('Unhealthy', 'warning', 'tag_set', { tag_set: 'alpha' });
const chain = alert('ChainHalted', 'critical', 'chain', { chain: 'C' });
const index = alert('IndexGap', 'critical', 'index', { index: 'C/block' });
const peers = alert('PeersLow', 'warning', 'node');
const fromTheRoot = [down, frozen, database, unready, chain, index];

const tagSets = ['all', 'primary', 'alpha', 'beta', 'gamma'];
const inEveryTagSet = [unready, unhealthy].flatMap((one) => tagSets.map((name) => ({ ...one, tag_set: name })));

const at = (alerts: readonly Labels[], where: Labels): readonly Labels[] => alerts.map((one) => ({ ...one, ...where }));
const sidecar = (pod: string): Labels => ({ namespace: 'nodes', pod, target: 'node' });
const alone = { namespace: 'nodes', target: 'validator-1' };
const fleet = ['a', 'b', 'c', 'd', 'e'];

const said = ({ alertname = '', pod }: Labels): string =>
  `${alertname.replace(/^Snowgauge/, '')}${pod === undefined ? '' : ` ${pod}`}`;

interface Situation {
  readonly title: string;
  readonly alerts: readonly Labels[];
  /** A notification each: its receiver, and each alert in it with the first of `pod`, `target` and `tag_set` that tells it apart. */
  readonly notified: readonly string[];
}

const situations: readonly Situation[] = [
  {
    title: 'one node down is one page, whatever else fires for it',
    alerts: at([...fromTheRoot, ...inEveryTagSet, peers], alone),
    notified: ['pager: TargetDown'],
  },
  ...fromTheRoot.flatMap((root, nth) =>
    fromTheRoot.slice(nth + 1).map((other) => ({
      title: `${said(root)} inhibits ${said(other)}`,
      alerts: at([root, other], alone),
      notified: [`pager: ${said(root)}`],
    })),
  ),
  {
    title: 'one switch with five nodes is one group and one notification',
    alerts: fleet.flatMap((pod) => at([down, unready, peers], sidecar(pod))),
    notified: ['pager: TargetDown a, TargetDown b, TargetDown c, TargetDown d, TargetDown e'],
  },
  {
    title: 'a closed database under five tag sets is one page',
    alerts: at([database, ...inEveryTagSet], alone),
    notified: ['pager: CheckFailing'],
  },
  {
    title: 'a subnet that is not ready is one page, and no warning on top is delayed by it',
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
    title: 'two clusters do not inhibit each other, and are two groups',
    alerts: [...at([down], sidecar('a')), ...at([unready, down], { ...sidecar('b'), cluster: 'second' })],
    notified: ['pager: TargetDown a', 'pager: TargetDown b'],
  },
  {
    title: 'the same pod in another cluster is another node',
    alerts: [...at([down], sidecar('a')), ...at([unready], { ...sidecar('a'), cluster: 'second' })],
    notified: ['pager: ReadinessLost a', 'pager: TargetDown a'],
  },
  {
    title: 'a warning of the node keeps no page back',
    alerts: at([peers, unready, unhealthy], alone),
    notified: ['chat: PeersLow', 'pager: ReadinessLost'],
  },
  {
    title: 'an event of the network hides no node, and goes to nobody while it is no more than information',
    alerts: [alert('NetworkEvent', 'info', 'network', { check: 'P' }), ...at([database], alone)],
    notified: ['pager: CheckFailing'],
  },
  {
    title: 'an information of the node inhibits nothing',
    alerts: at([alert('Restarted', 'info', 'node'), unhealthy], alone),
    notified: ['chat: Unhealthy'],
  },
  {
    title: 'an alert of a severity that is not ours is delivered',
    alerts: at([alert('OfTheOperator', 'page', 'node')], alone),
    notified: ['chat: OfTheOperator'],
  },
  {
    title: 'alerts of others neither inhibit ours nor are inhibited',
    alerts: [
      ...at([{ ...down, alertname: 'NodeDown' }, unready], alone),
      ...at([down, { ...unready, alertname: 'PodNotReady' }], { ...alone, target: 'validator-2' }),
    ],
    notified: ['others: NodeDown, PodNotReady', 'pager: ReadinessLost', 'pager: TargetDown'],
  },
  {
    title: 'the watchdog is heard',
    alerts: [{ alertname: 'SnowgaugeWatchdog', severity: 'none' }],
    notified: ['watchdog: Watchdog'],
  },
];

const file = z.looseObject({ route: z.looseObject({}), receivers: z.array(z.object({ name: z.string() })) });

/** As shipped, but for durations and what receivers do; alerts of others go to nobody as shipped, and to a receiver here. */
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

    /** Everything at once, each situation in clusters of its own; until a group that came last has been looked at twice. */
    beforeAll(async () => {
      receiver = await startReceiver(() => Date.now() / 1000);
      open.push(receiver.close);
      const text = await readFile(shippedFile, 'utf8');
      const { post, close } = await startAlertmanager(program, () => withWebhooks(text, `${receiver.url}/notify`));
      open.push(close);
      const last = async (target: string): Promise<void> => {
        await post([{ labels: alert('Last', 'critical', 'node', { cluster: 'last', target }) }]);
        await until(`a notification of ${target}`, async () =>
          receiver.notifications().some(({ alerts }) => alerts.some((one) => one.target === target)),
        );
      };
      await post(situations.flatMap(({ alerts }, nth) => alerts.map((one) => ({ labels: withCluster(one, nth) }))));
      await last('first');
      await last('second');
    }, 120_000);
    afterAll(async () => {
      for (const close of open.toReversed()) await close();
    });

    test.each(situations.map((one, nth) => ({ ...one, nth })))('$title', ({ nth, notified }) => {
      const own = receiver.notifications().filter(({ alerts }) => alerts[0]?.cluster?.split('/')[0] === `${nth}`);
      expect(own.map(({ receiver: to, alerts }) => `${to}: ${alerts.map(said).sort().join(', ')}`).sort()).toEqual(notified);
    });
  });
}

describeWith(['amtool'], 'amtool check-config', (amtool) => {
  test('takes the shipped configuration', async () => {
    expect(await runTool(amtool, ['check-config', shippedFile.pathname])).toContain('SUCCESS');
  });
});
