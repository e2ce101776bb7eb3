// Time until Kubernetes sees a change: the times of docs/probes.md at two check intervals.

import { expect, test } from 'vitest';
import type { Cluster } from '../../support/cluster/cluster.ts';
import { until } from '../../support/until.ts';
import { container, endpoints, podOf, signalTo, target } from './pods.ts';
import { install, isReady, makeSpace, type Space } from './release.ts';
import type { Row } from './table.ts';

const alpha = '2bRCr6B4MiEfSjidDwxDpdCyviwnfUVqB2HGwhm947w9YYqb7r';
const name = 'drill-snowgauge-0';
const quick = { everyMs: 50 };

/** Seconds from the call until `ask` returns true. */
const secondsUntil = async (what: string, ask: () => Promise<boolean>): Promise<number> => {
  const begun = Date.now();
  await until(what, ask, quick);
  return (Date.now() - begun) / 1000;
};

export const timesSuite = (cluster: () => Cluster, seconds: number, tell: (row: Row) => void): void => {
  const title = `readiness and endpoints follow a hung, killed or restarted node and a broken subnet in time (interval ${seconds} s)`;
  test.concurrent(title, { timeout: 1_800_000 }, async (context) => {
    const space = await makeSpace(context, cluster(), `times-${seconds}s`);
    const frequency = `${seconds}s`;
    const subnets = [{ name: 'alpha', id: alpha, chains: [{ alias: 'alpha-chain', blockInterval: '2s' }] }];
    // Late enough to come after the other three faults.
    const faults = [{ fault: 'check-fails', check: 'alpha-chain', error: 'drill', at: `${seconds * 12}s` }];
    await install(space, cluster(), 'drill', {
      node: { healthCheckFrequency: frequency, scenario: { subnets, faults }, resources: {} },
      config: {
        targets: [target({ healthCheckFrequency: frequency, tagSets: [{ name: 'all' }, { name: 'alpha', tags: [alpha] }] })],
        kubernetes: { podLabels: { enabled: true } },
      },
      nodeProbes: { readiness: { tagSet: 'all' } },
      tagSetServices: [{ tagSet: 'alpha' }],
    });
    const pod = async () => podOf(space, name);
    const ready = async () => isReady(await pod());
    const serves = async () => (await endpoints(space, 'drill-snowgauge-alpha')) === 1;
    await until('the pod is ready, and serves', async () => (await ready()) && (await serves()), { timeoutMs: 600_000 });
    const said = (what: string, took: number, bound: number): void => {
      tell({ what: `${what}, interval ${frequency}`, seen: `${took.toFixed(1)} s` });
      expect(took, what).toBeLessThan(bound);
    };

    const node = container(await pod(), 'node');
    await signalTo(cluster(), node, 'SIGSTOP');
    said('node hangs: unready', await secondsUntil('it is unready', async () => !(await ready())), 2 * seconds + 15);
    await signalTo(cluster(), node, 'SIGCONT');
    said('node goes on: ready', await secondsUntil('it is ready', ready), 2 * seconds + 15);

    await signalTo(cluster(), node, 'SIGKILL');
    said('node killed: unready', await secondsUntil('it is unready', async () => !(await ready())), 10);
    await until('its own readiness is 200', async () => isReadyItself(space), quick);
    said('node back (its own readiness is 200): ready', await secondsUntil('it is ready', ready), seconds + 15);
    await until('it serves', serves);

    // The new container starts its scenario from the beginning.
    await until('the check fails', async () => (await failingSince(space)) !== undefined, { timeoutMs: 1_200_000 });
    const since = (await failingSince(space)) ?? Number.NaN;
    await until('the endpoint is gone', async () => !(await serves()), quick);
    said('one subnet breaks: endpoint gone', Date.now() / 1000 - since, 2 * seconds + 10);
  });
};

const isReadyItself = async (space: Space): Promise<boolean> =>
  (await space.ask(await podOf(space, name), 9650, '/ext/health/readiness')).status === 200;

/** Time of the check's first failure as reported by the node, in Unix seconds. */
const failingSince = async (space: Space): Promise<number | undefined> => {
  const { body } = await space.ask(await podOf(space, name), 9652, '/metrics');
  const found = /^snowgauge_check_first_failure_timestamp_seconds\{.*check="alpha-chain"\} (\S+)$/m.exec(body)?.[1];
  return found === undefined ? undefined : Number(found);
};
