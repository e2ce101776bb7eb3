// The exporter's own path from a node's socket to the page, a round of polls at a time, in a clock that the test moves.

import { onTestFinished } from 'vitest';
import { createClient } from '../../src/client/client.ts';
import type { ClientOptions } from '../../src/client/options.ts';
import { targetFrom } from '../../src/config/target.ts';
import { createEvidence, type Evidence } from '../../src/evidence/evidence.ts';
import type { TransitionRecord } from '../../src/evidence/record.ts';
import { learnt } from '../../src/exporter.ts';
import { silentLog } from '../../src/log.ts';
import { createPage } from '../../src/metrics/page.ts';
import { pollOnce } from '../../src/poller/poll.ts';
import type { Server } from '../../src/server/listen.ts';
import { newTarget, type TargetOptions, type TargetSnapshot } from '../../src/snapshot/snapshot.ts';
import { tagsToAsk } from '../../src/snapshot/tag-knowledge.ts';
import { judge } from '../../src/verdict/judge.ts';
import type { TargetVerdicts } from '../../src/verdict/judgement.ts';
import { serveExporter } from './exporter-server.ts';
import { parseExposition, type Series } from './exposition-parser.ts';

export interface Watching {
  /** One round of polls, over real sockets; an impatient one waits a moment only, where no answer will come. */
  readonly poll: (patience?: 'patient' | 'impatient') => Promise<TargetSnapshot>;
  readonly target: () => TargetSnapshot;
  readonly verdicts: () => TargetVerdicts;
  /** The series on the page at this moment of the test's clock. */
  readonly page: () => Promise<readonly Series[]>;
  /** Every transition since the exporter began. */
  readonly evidence: Evidence;
  /** What is known, on a port: page, metrics, probes and transitions, as the exporter serves them. */
  readonly serve: () => Promise<Server>;
}

const pages = createPage({ version: 'test' });

export const watch = (
  url: string,
  now: () => number,
  over: Partial<TargetOptions> = {},
  client: Partial<ClientOptions> = {},
  /** What earlier runs left, oldest first. */
  history: readonly TransitionRecord[] = [],
): Watching => {
  const options: TargetOptions = {
    ...targetFrom({ url, healthCheckFrequency: '5s', indexes: ['P/block'] }).options,
    ...over,
  };
  const asking = createClient(
    { baseUrl: url, timeoutMs: 60_000, maxBodyBytes: 65_536, userAgent: 'snowgauge/test', ...client },
    now,
  );
  const impatient = createClient({ baseUrl: url, timeoutMs: 100, maxBodyBytes: 65_536, userAgent: 'snowgauge/test' }, now);
  onTestFinished(() => {
    asking.close();
    impatient.close();
  });
  let target = newTarget(options);
  let verdicts = judge(undefined, target, now());
  const reload = { successful: true, succeededAt: now() };
  const startedAt = now();
  const evidence = createEvidence({ log: silentLog, run: `run${history.length}`, history });
  const known = () => ({
    snapshot: { targets: new Map([[options.name, target]]) },
    verdicts: new Map([[options.name, verdicts]]),
  });
  return {
    poll: async (patience = 'patient') => {
      const client = patience === 'patient' ? asking : impatient;
      const answers = await pollOnce(target, client, new AbortController().signal, tagsToAsk(target));
      const { after, judged, records } = learnt(target, verdicts, answers, now());
      [target, verdicts] = [after, judged];
      evidence.add(records);
      return target;
    },
    target: () => target,
    verdicts: () => verdicts,
    page: async () => {
      const { body } = await pages({ ...known(), reload }, now(), undefined, undefined);
      return parseExposition(Buffer.from(body).toString(), 'text').flatMap(({ series }) => series);
    },
    evidence,
    serve: () =>
      serveExporter({
        state: () => ({ ...known(), startedAt, stopping: false }),
        metrics: (accept, encoding) => pages({ ...known(), reload }, now(), accept, encoding),
        lastBeat: now,
        evidence,
        now,
      }),
  };
};

/** The values of a family whose labels are at least these. */
export const valuesOf = (
  series: readonly Series[],
  name: string,
  labels: Readonly<Record<string, string>> = {},
): readonly number[] =>
  series
    .filter((one) => one.name === name && Object.entries(labels).every(([label, value]) => one.labels.get(label) === value))
    .map(({ value }) => value);
