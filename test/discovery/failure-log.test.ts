// What the log says of a source that fails: not a failure that is over at the next try, and each reason once.

import { expect, onTestFinished, test } from 'vitest';
import { runningSources } from '../../src/discovery/running.ts';
import { createFailureLog } from '../../src/failure-log.ts';
import { listeningLog } from '../support/events.ts';
import { serveHttp } from '../support/serve.ts';
import { configOf, patience } from './world.ts';

/** Refreshes from a server that responds with these statuses, and then with 200. Resolves with the messages of the log. */
const logged = async (...statuses: readonly number[]): Promise<readonly string[]> => {
  let requests = 0;
  const { url, close } = await serveHttp((_, response) => {
    response.writeHead(statuses[requests] ?? 200);
    requests += 1;
    response.end('[]');
  });
  const { discovery } = await configOf({ discovery: { http: [{ url, timeout: '1m' }] } });
  const { log, said } = listeningLog();
  const stop = new AbortController();
  const sources = runningSources({
    changed: () => undefined,
    fail: () => undefined,
    now: () => 0,
    log,
    signal: stop.signal,
    userAgent: 'test',
    cluster: { server: undefined, serviceAccountDir: '' },
  });
  onTestFinished(async () => {
    await sources.stop();
    await close();
  });
  await sources.configure({ ...discovery, http: discovery.http.map((one) => ({ ...one, refreshInterval: 0.02 })) });
  await expect.poll(() => requests, patience).toBeGreaterThan(statuses.length + 1);
  return said.map(({ message, fields }) => `${message}: ${String(fields.reason ?? '').slice(-3)}`);
};

const failed = (status: number): string => `discovery failed, keeping the last list: ${status}`;
const recovered = 'discovery recovered: ';

test.each([
  { title: 'one failure', statuses: [200, 502, 200, 502], says: [] },
  { title: 'two failures in a row', statuses: [502, 502, 502], says: [failed(502), recovered] },
  { title: 'reasons that take turns', statuses: [502, 503, 502, 503, 502], says: [failed(503), failed(502), recovered] },
  { title: 'two outages', statuses: [502, 502, 200, 502, 502], says: [failed(502), recovered, failed(502), recovered] },
])('$title of a source: $says', async ({ statuses, says }) => {
  expect(await logged(...statuses)).toEqual(says);
});

const fault = (part: string, reason: string, isRepeated = true) => ({
  reason: `${part}: ${reason}`,
  cause: reason,
  isRepeated,
});

test('a part that fails for ever does not hide later failures of the others, nor the recovery of all', () => {
  let seconds = 0;
  const { toLog, reset } = createFailureLog(() => seconds);
  const forbidden = fault('b', '403');
  const outage = [fault('a', 'down'), fault('b', 'down')];
  expect(toLog([forbidden])).toEqual(['b: 403']);
  for (const _ of [1, 2]) {
    expect(toLog(outage)).toEqual(['a: down', 'b: down']);
    // Reasons that alternate are logged once each, and nothing while only a part recovers.
    for (const again of [[fault('a', 'down'), forbidden], outage, [forbidden]]) expect(toLog(again)).toEqual([]);
    seconds += 600;
  }
  expect(toLog([fault('a', '403')])).toEqual([]);
  expect(toLog([fault('c', '500', false)])).toEqual([]);
  expect([reset(), reset()]).toEqual([true, false]);
});

test('parts that fail now and then, and never succeed all together, are one line each', () => {
  let seconds = 0;
  const { toLog } = createFailureLog(() => seconds);
  const lines = Array.from({ length: 600 }, (_, at) => {
    seconds += 30;
    // One of ten parts has recovered, each time another one.
    const failing = Array.from({ length: 10 }, (_, part) => part).filter((part) => part !== at % 10);
    return toLog(failing.map((part) => fault(`${part}`, `no ${part}`, part !== (at + 9) % 10)));
  });
  expect(lines.flat()).toHaveLength(10);
});

test('of fifty failing parts, only those with a new reason are logged', () => {
  const { toLog } = createFailureLog(() => 0);
  const all = Array.from({ length: 50 }, (_, at) => fault(`${at}`, `no ${at}`));
  expect(toLog(all.slice(0, 49))).toHaveLength(49);
  expect(toLog(all)).toEqual(['49: no 49']);
});

test('a server that sends a new reason each time cannot fill log and memory', () => {
  const { toLog, reset } = createFailureLog(() => 0);
  const isNew = (reason: string): boolean => toLog([{ reason, isRepeated: true }]).length > 0;
  expect(Array.from({ length: 1500 }, (_, at) => String(at)).filter(isNew)).toHaveLength(1000);
  expect(reset()).toBe(true);
  expect([isNew('1'), isNew('1'), reset(), reset()]).toEqual([true, false, true, false]);
});
