// Collects the updates of a discovery source for the duration of a test.

import { setMaxListeners } from 'node:events';
import { expect, onTestFinished } from 'vitest';
import { createBudget } from '../../src/client/budget.ts';
import { createPodBudget } from '../../src/discovery/kubernetes/pod-budget.ts';
import type { SourceContext, SourceUpdate } from '../../src/discovery/source.ts';
import type { Cluster } from '../../src/kubernetes/exchange.ts';
import { silentLog } from '../../src/log.ts';
import { oneAtATime } from '../../src/pause.ts';
import { patience } from './world.ts';

export const following = (
  run: (context: SourceContext) => Promise<void>,
  cluster: Cluster = { server: undefined, serviceAccountDir: '' },
) => {
  const stop = new AbortController();
  const updates: SourceUpdate[] = [];
  const update = (one: SourceUpdate): boolean => updates.push(one) > 0;
  const { signal } = stop;
  // A source with many requests adds a listener for each.
  setMaxListeners(0, signal);
  const shared = { alone: oneAtATime(), budget: createBudget(0), pods: createPodBudget() };
  const context = { log: silentLog, signal, tooLarge: () => undefined, ...shared, userAgent: 'snowgauge/test', cluster };
  const ended = run({ update, now: () => Date.now() / 1000, ...context });
  const end = async (): Promise<void> => {
    stop.abort();
    await ended;
  };
  onTestFinished(end);
  let found: SourceUpdate['found'];
  const addresses = (): readonly string[] | undefined => {
    found = updates.findLast((one) => one.found !== undefined)?.found;
    return found?.map(({ labels }) => labels.get('__address__') ?? '').toSorted();
  };
  const reason = (): string | undefined => {
    const last = updates.at(-1);
    return last?.kind === 'failed' ? last.reason : undefined;
  };
  return {
    updates,
    end,
    /** Labels of the address in the last list. */
    labels: (address: string) => {
      const one = updates
        .findLast((each) => each.found !== undefined)
        ?.found?.find(({ labels }) => labels.get('__address__') === address);
      return Object.fromEntries(one?.labels ?? []);
    },
    names: () => updates.findLast((one) => one.found !== undefined)?.found?.map(({ name }) => name),
    addresses,
    finds: (...wanted: readonly string[]) => expect.poll(addresses, patience).toEqual(wanted.toSorted()),
    fails: (why: RegExp) => expect.poll(() => reason() ?? '', patience).toMatch(why),
    recovers: () => expect.poll(() => updates.at(-1)?.kind, patience).toBe('ok'),
  };
};
