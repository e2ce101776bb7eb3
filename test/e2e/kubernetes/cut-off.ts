// A pod that is cut off from the API server while one of its subnets breaks: packets are dropped on the way, as a broken network does,
// and not refused. The kubelet, whose way is another one, still reaches the pod.

import { expect, test } from 'vitest';
import type { Cluster } from '../../support/cluster/cluster.ts';
import { until } from '../../support/until.ts';
import { alpha } from './kubelet.ts';
import { endpoints, podOf, target } from './pods.ts';
import { install, isReady, makeSpace } from './release.ts';

const timeout = 600_000;
const name = 'drill-snowgauge-0';
const label = 'ready.snowgauge.io/alpha';
const service = 'drill-snowgauge-alpha';

export const cutOffSuite = (cluster: () => Cluster): void => {
  test.concurrent('cut off from the API server while a subnet breaks: the first patch comes soon after', {
    timeout,
  }, async (context) => {
    const space = await makeSpace(context, cluster(), 'cut-off');
    const faults = [{ fault: 'check-fails', check: 'alpha-chain', error: 'drill', at: '60s', for: '120s', every: '180s' }];
    const subnets = [{ name: 'alpha', id: alpha, chains: [{ alias: 'alpha-chain', blockInterval: '2s' }] }];
    const tagSets = [
      { name: 'primary', tags: ['11111111111111111111111111111111LpoYY'] },
      { name: 'alpha', tags: [alpha] },
    ];
    await install(space, cluster(), 'drill', {
      node: { healthCheckFrequency: '1s', scenario: { subnets, faults } },
      config: { targets: [target({ tagSets })], kubernetes: { podLabels: { enabled: true } } },
      nodeProbes: { readiness: { tagSet: 'primary', periodSeconds: 1 } },
      tagSetServices: [{ tagSet: 'alpha' }],
    });
    const pod = await until('the pod has an address', async () => {
      const found = await space.pod(name);
      return found?.status.podIP !== undefined && found;
    });
    // Behind the Service of the API server, where its address is the machine's own.
    const rule = ['INPUT', '--source', pod.status.podIP ?? '', '--protocol', 'tcp', '--dport', '6443', '--jump', 'DROP'];
    const cut = () => cluster().exec(['iptables', '--wait', '--insert', ...rule]);
    const open = async () =>
      Number(await cluster().exec(['sh', '-c', 'iptables --wait --delete "$@" && date +%s%3N', 'sh', ...rule]));
    const probe = async () => (await space.ask(pod, 9652, '/self/readyz/alpha')).status;
    const now = async () => {
      const { metadata, ...rest } = await podOf(space, name);
      return { label: metadata.labels[label], endpoints: await endpoints(space, service), ready: isReady({ metadata, ...rest }) };
    };
    const current = async () => /^snowgauge_pod_labels_current (\d)$/m.exec((await space.ask(pod, 9652, '/metrics')).body)?.[1];
    const served = { label: 'true', endpoints: 1, ready: true };

    await until('the pod is cut off while its Service has it', async () => {
      if ((await now()).endpoints !== 1 || (await probe()) !== 200) return false;
      await cut();
      if ((await probe()) === 200 && (await now()).label === 'true') return true;
      await open();
      return false;
    });
    const cutAt = Date.now();
    const written = space
      .kubectl('wait', `pod/${name}`, `--for=jsonpath={.metadata.labels.${label.replaceAll('.', '\\.')}}=false`, '--timeout=300s')
      .then(() => Date.now());
    await until('the subnet has broken', async () => (await probe()) === 503);
    const brokeAt = Date.now();
    await until('a try has failed', async () => (await current()) === '0');
    await until('half a minute has passed', async () => Date.now() - brokeAt > 30_000);
    // Nobody in the pod can say otherwise. A look at a moment, which on a busy machine may be one without readiness.
    await expect.poll(async () => [await now(), await probe(), await current()]).toEqual([served, 503, '0']);
    const opened = await open();
    const patchedAfter = ((await written) - opened) / 1000;
    await until('the Service has lost the pod', async () => (await now()).endpoints === 0);
    const goneAfter = (Date.now() - opened) / 1000;
    const cutFor = ((opened - cutAt) / 1000).toFixed(0);
    console.log(`cluster: cut off for ${cutFor} s; label written ${patchedAfter} s after, endpoint gone after ${goneAfter} s`);
    // Two seconds and some of kubectl's own on a quiet machine, for which the line above is; backing off as usual would take a minute.
    expect(patchedAfter).toBeLessThan(10);
    expect(goneAfter).toBeLessThan(60);
    await until('the labels are kept again', async () => (await current()) === '1');
    await until('the pod is ready', async () => (await now()).ready);
  });
};
