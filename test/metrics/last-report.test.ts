// The time of the last report stays while the node does not report, whatever the state of its process.

import { expect, test } from 'vitest';
import { samples } from '../support/metrics.ts';
import { fails, ok, type Round, refused, timedOut, watchedOver } from '../support/rounds.ts';

import { noon, report } from '../support/snapshot.ts';

const unready = report({ bootstrapped: fails(-5) });

test.each<{ when: string; rounds: readonly Round[] }>([
  { when: 'does not respond', rounds: [{ at: 30, health: { all: timedOut }, readiness: timedOut }] },
  {
    when: 'was restarted and has not reported its health yet',
    rounds: [
      { at: 30, health: { all: refused }, readiness: refused },
      { at: 60, health: { all: timedOut }, readiness: unready },
    ],
  },
])('the last report time of a node that $when is kept', async ({ rounds }) => {
  const { target } = watchedOver([{ at: 0, health: { all: report({ P: ok() }) } }, ...rounds]);
  expect(await samples(target, 'last_report')).toEqual({
    'last_report_timestamp_seconds{target="node"}': noon,
  });
});
