// Memory of the sidecar under the chart's limit while it is scraped far more often than in practice.

import { expect, test } from 'vitest';
import type { Cluster } from '../../support/cluster/cluster.ts';
import { until } from '../../support/until.ts';
import { install, isReady, makeSpace, statusOf } from './release.ts';
import type { Row } from './table.ts';

export const loadSuite = (cluster: () => Cluster, seconds: number, tell: (row: Row) => void): void => {
  const title = `the sidecar stays within 96 MiB for ${seconds} s, with three tag sets polled each second and up to 100 scrapes a second`;
  test.concurrent(title, { timeout: 600_000 + seconds * 1000 }, async (context) => {
    const space = await makeSpace(context, cluster(), 'load');
    const tagSets = [{ name: 'all' }, { name: 'one', tags: ['one'] }, { name: 'two', tags: ['two'] }];
    const node = { name: 'node', url: 'http://127.0.0.1:9650', healthCheckFrequency: '1s', timeout: '1s', tagSets };
    await install(space, cluster(), 'drill', {
      node: { healthCheckFrequency: '1s' },
      config: { targets: [node] },
      resources: { limits: { memory: '96Mi' } },
    });
    const ready = await until('the pod is ready', async () => {
      const pod = await space.pod('drill-snowgauge-0');
      return pod !== undefined && isReady(pod) && pod;
    });
    const url = `http://${ready.status.podIP}:9652/metrics`;
    const args = ['--json', '--connections', '2', '--overallRate', '100', '--duration', String(seconds), url];
    const said = await cluster().exec([process.execPath, 'node_modules/autocannon/autocannon.js', ...args], {
      timeoutMs: (seconds + 60) * 1000,
    });
    const { '2xx': answered, non2xx, errors } = JSON.parse(said);
    const after = await space.pod('drill-snowgauge-0');
    const sidecar = after === undefined ? undefined : statusOf(after, 'snowgauge');
    const page = (await space.ask(ready, 9652, '/metrics')).body;
    const resident = Number(/^process_resident_memory_bytes (\S+)/m.exec(page)?.[1]);
    tell({ what: `${answered} scrapes in ${seconds} s: resident`, seen: `${(resident / 2 ** 20).toFixed(0)} MiB of 96` });
    expect(sidecar).toMatchObject({ restartCount: 0, lastState: {} });
    expect({ non2xx, errors }).toEqual({ non2xx: 0, errors: 0 });
    expect(answered).toBeGreaterThan(seconds);
  });
};
