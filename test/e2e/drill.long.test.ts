// Every drill with a real Prometheus and a real Alertmanager: the fault is detected in time, only the expected alert fires, in time,
// and notifications are those of the table.

import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import * as z from 'zod/mini';
import { drills } from '../../src/drills/drills.ts';
import { expectedOf } from '../../src/drills/notified.ts';
import { bundle } from '../support/bundle.ts';
import { describeWith } from '../support/tools.ts';

const run = promisify(execFile);
const timeout = 1_500_000;
/** Maximum number of repetitions of a drill. */
const alone = 3;

const span = z.nullable(z.object({ tookSeconds: z.number(), allowedSeconds: z.number() }));
const report = z.object({
  passed: z.boolean(),
  drills: z.array(
    z.object({
      name: z.string(),
      outcome: z.enum(['passed', 'failed', 'inconclusive']),
      schedulingDelay: z.object({ ratio: z.number() }),
      failures: z.array(z.string()),
      detection: span,
      firing: span,
      notifications: z.object({ delivered: z.array(z.string()), expected: z.array(z.string()) }),
      unexpected: z.array(z.object({ alert: z.string() })),
      arrivals: z.array(z.object({ alert: z.string() })),
    }),
  ),
});
type Report = z.output<typeof report>;

/** Child processes of a process. */
const childrenOf = (pid: number): readonly number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

describeWith(['prometheus3', 'alertmanager'], 'drills', (prometheus, alertmanager) => {
  const tools = ['--prometheus', prometheus, '--alertmanager', alertmanager];

  describe('each drill', () => {
    let made: Report['drills'] | undefined;
    const reported = async (...which: readonly string[]): Promise<Report['drills']> => {
      // Exit code 1: a drill failed; 3: the machine was too slow to judge. The tests below report the details.
      const { stdout } = await run(process.execPath, [bundle, 'drill', ...which, '--output', 'json', ...tools], {
        maxBuffer: 64 * 1024 * 1024,
      }).catch((error: unknown) => z.object({ code: z.union([z.literal(1), z.literal(3)]), stdout: z.string() }).parse(error));
      return report.parse(JSON.parse(stdout)).drills;
    };
    const isLate = ({ detection, firing }: Report['drills'][number]): boolean =>
      [detection, firing].some((span) => span !== null && span.tookSeconds > span.allowedSeconds);
    /**
     * First all in parallel, which slows them down on a slow machine. A drill that fails runs again alone, and if it is then late or
     * inconclusive, a few times more.
     */
    const judged = async (one: Report['drills'][number], tries: number): Promise<readonly Report['drills'][number][]> => {
      const isSlow = one.outcome === 'inconclusive' || isLate(one);
      if (one.outcome === 'passed' || tries === 0 || (tries < alone && !isSlow)) return [one];
      console.log(`drill ${one.name}, run again alone: ${one.failures.join('; ')}`);
      const again = await reported(one.name);
      return (await Promise.all(again.map((next) => judged(next, tries - 1)))).flat();
    };
    const ran = async (): Promise<Report['drills']> => {
      if (made !== undefined) return made;
      const all: Report['drills'][number][] = [];
      for (const one of await reported('--all', '--jobs', '10')) {
        all.push(...(await judged(one, alone)));
      }
      made = all;
      return made;
    };

    test.for(drills.map((drill) => ({ ...drill, expected: expectedOf(drill) })))(
      '$name: detected in time, $alert fires in time, and no unexpected alert',
      { timeout },
      async ({ name, alert, sign, expected }) => {
        const one = (await ran()).find((drill) => drill.name === name);
        if (one?.outcome === 'inconclusive') {
          console.log(`drill ${name}: not judged: scheduling delay was ${one.schedulingDelay.ratio} of the time, four times`);
          return;
        }
        expect(one?.failures).toEqual([]);
        expect(one?.unexpected).toEqual([]);
        expect(one?.notifications.delivered.toSorted()).toEqual(expected.toSorted());
        expect(one?.arrivals.map((arrival) => arrival.alert)).toContain(alert);
        const within = ({ tookSeconds, allowedSeconds }: NonNullable<z.output<typeof span>>): boolean =>
          tookSeconds <= allowedSeconds;
        expect(one?.firing).toSatisfy(within);
        if (sign !== undefined) expect(one?.detection).toSatisfy(within);
      },
    );

    test('at least two thirds of the drills are conclusive on this machine', { timeout }, async () => {
      const open = (await ran()).filter(({ outcome }) => outcome === 'inconclusive').map(({ name }) => name);
      expect(open.length, open.join(', ')).toBeLessThan(drills.length / 3);
    });
  });

  test('a drill stopped by SIGTERM ends its Prometheus and its Alertmanager', { timeout }, async () => {
    const child = spawn(process.execPath, [bundle, 'drill', 'peers-low', ...tools], { stdio: 'ignore' });
    onTestFinished(() => {
      child.kill('SIGKILL');
    });
    const { pid = 0 } = child;
    await expect.poll(() => childrenOf(pid).length, { timeout: 280_000, interval: 100 }).toBe(2);
    const started = childrenOf(pid);
    child.kill('SIGTERM');
    const [code] = await once(child, 'exit');
    expect(code).toBe(130);
    expect(started.filter(isAlive)).toEqual([]);
  });

  test('a drill whose Alertmanager cannot start shows its error and exits with code 3', { timeout }, async () => {
    const args = [bundle, 'drill', 'peers-low', '--prometheus', prometheus, '--alertmanager', process.execPath];
    const failed = await run(process.execPath, args).catch((error: unknown) => error);
    expect(failed).toMatchObject({
      code: 3,
      stderr: expect.stringMatching(/^snowgauge drill: Alertmanager ended with exit code \d+: .*bad option/s),
    });
  });
});
