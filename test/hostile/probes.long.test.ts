// Clients that probe one hostile node under many names at once: the cost for a process with the image's flags, and for other polls.

import { get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { hasContainers, makeContainer } from '../support/container-memory.ts';
import { serveHttp } from '../support/serve.ts';
import { describeUnless, forced } from '../support/tools.ts';
import { delaysOf, most, quantile, serveHonest, watchBeside } from './beside.ts';

const check = `{"message":{"a":"Ж${'m'.repeat(1200)}"},"error":"${'e'.repeat(20)}"}`;
const largest = Buffer.from(
  `{"checks":{${Array.from({ length: 400 }, (_, at) => `"check-${at}":${check}`).join(',')}},"healthy":false}`,
);

/** Small enough not to wait for other probes, and two bytes per character. */
const small = Buffer.from(
  `{"checks":{${Array.from({ length: 25 }, (_, at) => `"check-${at}":{"error":"Ж${'e'.repeat(1150)}"}`).join(',')}},"healthy":false}`,
);

interface Row {
  readonly title: string;
  readonly count: number;
  readonly report: Buffer;
  readonly module: object;
  /** Responses to wait for. */
  readonly least: number;
  readonly isSilent?: boolean;
  readonly isContained?: boolean;
}

const ofLargest = { count: 60, report: largest, module: {}, least: 30 };

const staysWithin = async (row: Row): Promise<void> => {
  const { title, count, report, module, least, isSilent = false, isContained = false } = row;
  const container = isContained ? makeContainer(160) : undefined;
  if (container !== undefined) onTestFinished(container.remove);
  const node = await serveHttp((request, response) => {
    request.resume();
    // A probe keeps what it has read until its deadline.
    if (isSilent && request.url?.includes('/ext/health/liveness') === true) return;
    if (request.url?.includes('/ext/health') === true) response.end(report);
    else response.writeHead(404).end();
  });
  onTestFinished(() => node.close());
  const honest = await Promise.all(Array.from({ length: 12 }, () => serveHonest(2)));
  const targets = honest.map(({ url }, at) => ({ name: `honest-${at}`, url, interval: 2 }));
  const probe = { allow: [{ cidr: '127.0.0.1', ports: [node.port] }], modules: [{ name: 'default', ...module }] };
  const watching = await watchBeside(targets, onTestFinished, { probe }, container);
  let isOver = false;
  let answered = 0;
  const flood = async (at: number): Promise<void> => {
    for (let nth = 0; !isOver; nth += 1) {
      const url = `${watching.url}/probe?debug=true&target=127.0.0.1:${node.port}/${at}-${nth}`;
      await new Promise<void>((resolve) => {
        const request = get(url, { localAddress: `127.0.0.${2 + (at % 2)}`, agent: false }, (response) => {
          answered += 1;
          response.resume();
          response.once('close', resolve);
        });
        request.on('error', () => resolve());
      });
    }
  };
  await sleep(3000);
  const [since, waitedBefore] = [performance.now(), watching.waitedMs()];
  const floods = Array.from({ length: count }, (_, at) => flood(at));
  let [lag, before] = [0, performance.now()];
  let [anonymous, counted] = [0, 0];
  for (; watching.isAlive() && (performance.now() - since < 8000 || answered <= least); before = performance.now()) {
    await sleep(50);
    lag = Math.max(lag, performance.now() - before - 50);
    anonymous = Math.max(anonymous, watching.anonymousMiB());
    counted = Math.max(counted, container?.usedMiB() ?? 0);
  }
  isOver = true;
  await Promise.all(floods);
  const [resident, delay] = [watching.residentMiB(), quantile(delaysOf(honest, since, 2), 0.99)];
  const memory = `${resident.toFixed(0)} MiB, ${anonymous.toFixed(0)} of them anonymous, ${counted.toFixed(0)} counted`;
  console.log(`${title}: ${answered} answered, ${memory}, p99 of honest polls ${delay.toFixed(0)} ms late`);
  expect(watching.isAlive()).toBe(true);
  expect(resident).toBeLessThanOrEqual(most.probed);
  expect(anonymous).toBeLessThanOrEqual(most.anonymous);
  expect(counted).toBeLessThanOrEqual(most.counted);
  // Allows for the lag of this process and the time that the other one waited for the machine.
  expect(delay).toBeLessThanOrEqual(4000 + 5 * lag + watching.waitedMs() - waitedBefore);
};

test.for<Row>([
  { title: '60 concurrent probes of a node with the largest reports', ...ofLargest },
  {
    title: '100 concurrent probes of a node that sends small reports for 12 tag sets and then stops responding',
    count: 100,
    report: small,
    module: { tagSets: Array.from({ length: 12 }, (_, at) => ({ name: `s${at}`, tags: [`s${at}`] })) },
    isSilent: true,
    least: 5,
  },
])('$title stay within the memory of the container', staysWithin);

// In a container the kernel drops the program's pages from resident memory.
describeUnless(hasContainers ? undefined : `${forced} a memory cgroup of version 1`, 'in a container of 160 MiB', () => {
  const title = '60 concurrent probes of a node with the largest reports stay within the memory';
  test(title, () => staysWithin({ title, ...ofLargest, isContained: true }));
});
