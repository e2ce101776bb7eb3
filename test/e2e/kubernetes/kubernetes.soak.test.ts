// A real Kubernetes for more than an hour: tests the numbers and times of the documentation without scaling. Run by hand with
// `npm run soak`; the table at its end is for the release notes.

import { afterAll, beforeAll } from 'vitest';
import { type Cluster, clusterObstacle, startCluster } from '../../support/cluster/cluster.ts';
import { describeUnless } from '../../support/tools.ts';
import { killsSuite } from './kills.ts';
import { loadSuite } from './load.ts';
import { memorySuite } from './memory.ts';
import { patienceSuite } from './patience.ts';
import { patienceEndsSuite } from './patience-ends.ts';
import { shardsSuite } from './shards.ts';
import { type Row, tableOf } from './table.ts';
import { timesSuite } from './times.ts';

describeUnless(clusterObstacle(), 'a real Kubernetes with unscaled times', () => {
  let cluster: Cluster | undefined;
  const rows: Row[] = [];
  const tell = (row: Row): void => {
    rows.push(row);
    console.log(`soak: ${row.what}: ${row.seen}`);
  };
  const started = (): Cluster => {
    if (cluster === undefined) throw new Error('there is no cluster');
    return cluster;
  };

  beforeAll(async () => {
    cluster = await startCluster(console.log);
  }, 3_600_000);
  afterAll(async () => {
    console.log(tableOf(rows));
    await cluster?.stop();
  });

  // Alone and first: a small machine can run thirty nodes, but no more.
  shardsSuite(started, tell);
  patienceEndsSuite(started, tell);
  memorySuite(started, 30, tell);
  patienceSuite(started, tell);
  killsSuite(started, { pods: 10, kills: 5, seconds: 30, timeoutMs: 3_600_000 }, tell);
  timesSuite(started, 5, tell);
  timesSuite(started, 30, tell);
  loadSuite(started, 600, tell);
});
