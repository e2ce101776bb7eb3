// The campaigns as tests: completely in `soak`, a share of them in `long`.

import { test } from 'vitest';
import { seedFrom } from '../support/random.ts';
import { besiege } from './besieged.ts';
import { fuzzAnswers, fuzzConfigurations, fuzzRequests } from './campaigns.ts';
import { createWorld } from './world.ts';

/** Complete campaigns: a million mutated reports, responses and configurations, and a hundred thousand connections. */
const whole = { answers: 950_000, configurations: 50_000, requests: 100_000 } as const;

export const fuzzSuite = (share: number): void => {
  const seed = seedFrom('SNOWGAUGE_FUZZ_SEED');
  const timeout = 3_600_000;
  const wanted = (count: number): number => Math.ceil(share * count);

  test('mutated responses of a node are parsed, evaluated and rendered', { timeout }, async ({ signal }) => {
    await fuzzAnswers(await createWorld(), { wanted: wanted(whole.answers), seed, signal });
  });

  test('a mutated configuration is rejected with errors or can be watched', { timeout }, async ({ signal }) => {
    await fuzzConfigurations(await createWorld(), { wanted: wanted(whole.configurations), seed, signal });
  });

  test('mutated requests to exporter and node get valid HTTP responses, and both respond afterwards', { timeout }, async ({
    signal,
  }) => {
    await fuzzRequests(await besiege(await createWorld(), signal), { wanted: wanted(whole.requests), seed, signal });
  });
};
