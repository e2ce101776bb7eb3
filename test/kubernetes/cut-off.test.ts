// Pod labels while the API server is unreachable, and when it is reachable again.

import { describe, expect, test } from 'vitest';
import { deadlines } from '../../src/kubernetes/keeper.ts';
import { keep, label, obedient } from '../support/label-keeper.ts';
import { patience } from '../support/run-process.ts';
import { wayTo } from '../support/way.ts';

const flows = (): number => performance.now() / 1000;

describe('pod labels', () => {
  test('are written by the first or second try after the API server is reachable again', async () => {
    const { api } = await obedient((count, answer) => (count === 2 ? way.close() : answer()));
    const way = await wayTo(api.port);
    const { keeper, condition, said } = keep(`https://127.0.0.1:${way.port}`, { flows, pace: { first: 6000, connect: 4000 } });
    await expect.poll(() => keeper.tally().current, patience).toBe(true);
    condition('False');
    const lost = () => keeper.tally().patches.get('unreachable') ?? 0;
    await expect.poll(lost, patience).toBeGreaterThanOrEqual(4);
    expect(keeper.tally().patches.get('timeout')).toBe(1);
    const [before, opened] = [lost(), performance.now()];
    way.open();
    await expect.poll(() => keeper.tally().current, { ...patience, interval: 20 }).toBe(true);
    console.log(`labels: patched ${Math.round(performance.now() - opened)} ms after the way was open`);
    // One try was running when the connection opened.
    expect(lost() - before).toBeLessThanOrEqual(1);
    const unconnected = `no connection within 4000 ms (API server https://127.0.0.1:${way.port}): check KUBERNETES_SERVICE_HOST`;
    expect(said).toEqual([expect.stringContaining(unconnected), 'pod label sync recovered {}']);
  });

  test('are written although the server takes longer than the first timeout, because the timeout increases', async () => {
    const { api, labels } = await obedient((_count, answer) => void setTimeout(answer, 2500));
    const { keeper } = keep(api.url, { flows, pace: { ...deadlines, longest: 280_000 } });
    await expect.poll(() => labels[label], patience).toBe('true');
    await expect.poll(() => keeper.tally().current, patience).toBe(true);
    // The next try starts when the previous one, which took longer than the wait, has ended. Its timeout is twice as long.
    expect(keeper.tally().patches.get('timeout')).toBeGreaterThanOrEqual(1);
  });

  test('are written again after a patch without a response, even if the condition has its previous status again', async () => {
    const { api, labels } = await obedient((count, answer, response) => void (count === 2 ? response.destroy() : answer()));
    const { keeper, condition, said } = keep(api.url);
    await expect.poll(() => keeper.tally().current, patience).toBe(true);
    condition('False');
    await expect.poll(() => keeper.tally().patches.get('unreachable'), patience).toBe(1);
    expect(labels[label]).toBe('false');
    condition('True');
    await expect.poll(() => labels[label], patience).toBe('true');
    await expect.poll(() => keeper.tally().current, patience).toBe(true);
    // One failure is not logged, nor its end.
    expect(said).toEqual([]);
  });
});
