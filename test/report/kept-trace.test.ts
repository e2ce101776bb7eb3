// What a traced poll keeps of a response: 50 concurrent probes used to keep all reports of a node 50 times.

import { expect, test } from 'vitest';
import type { Traced } from '../../src/client/traced.ts';
import { keptTrace } from '../../src/report/debugged.ts';
import { failing, passing, report } from '../support/snapshot.ts';

test('a report of half a megabyte is reduced to counts and a few names', () => {
  const message = { a: 'm'.repeat(1200) };
  const checks = Object.fromEntries(
    Array.from({ length: 400 }, (_, at) => [`check-${at}`, at % 2 === 0 ? failing('e'.repeat(1000)) : { ...passing(), message }]),
  );
  const traced: Traced = {
    ...{ order: 1, method: 'GET', path: '/ext/health', rpc: undefined, status: 503, bytes: 500_000, trace: undefined },
    outcome: { kind: 'ok', value: report(checks) },
  };
  const kept = keptTrace(traced);
  expect(kept.request.parsed).toMatchObject({ checks: 400, failingCount: 200 });
  expect(JSON.stringify(kept).length).toBeLessThan(1000);
});
