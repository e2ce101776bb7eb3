// The image and the chart on a real Kubernetes, with its API server, its kubelet, Helm and the Prometheus Operator. One test file,
// because there is one cluster; its suites are in the other files of this folder.

import { afterAll, beforeAll, vi } from 'vitest';
import { type Cluster, clusterObstacle, startCluster } from '../../support/cluster/cluster.ts';
import { describeUnless } from '../../support/tools.ts';
import { chartSuite } from './chart.ts';
import { cutOffSuite } from './cut-off.ts';
import { discoverySuite } from './discovery.ts';
import { foreignSuite } from './foreign.ts';
import { killsSuite } from './kills.ts';
import { kubeletSuite } from './kubelet.ts';
import { loadSuite } from './load.ts';
import { manifestsSuite } from './manifests.ts';
import { memorySuite } from './memory.ts';
import { monitoringSuite } from './monitoring.ts';
import { policySuite } from './policy.ts';
import { renamedSuite } from './renamed.ts';
import type { Row } from './table.ts';

describeUnless(clusterObstacle(), 'a real Kubernetes', () => {
  let cluster: Cluster | undefined;
  const started = (): Cluster => {
    if (cluster === undefined) throw new Error('there is no cluster');
    return cluster;
  };

  const tell = ({ what, seen }: Row): void => console.log(`cluster: ${what}: ${seen}`);

  beforeAll(async () => {
    cluster = await startCluster(console.log);
    // May wait for another run to end.
  }, 3_600_000);
  afterAll(async () => {
    await cluster?.stop();
  });

  // Six in parallel, the longest first, because most of them wait for a kubelet. Two more would take all CPU of two cores and save nothing.
  vi.setConfig({ maxConcurrency: 6 });
  monitoringSuite(started);
  loadSuite(started, 30, tell);
  killsSuite(started, { pods: 3, kills: 3, seconds: 5, timeoutMs: 600_000 }, tell);
  policySuite(started);
  memorySuite(started, 1, tell);
  cutOffSuite(started);
  renamedSuite(started);
  kubeletSuite(started);
  chartSuite(started);
  foreignSuite(started);
  discoverySuite(started);
  manifestsSuite(started);
});
