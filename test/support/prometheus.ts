// A real Prometheus that scrapes servers of a test.

import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import * as z from 'zod/mini';
import { freePort } from './free-port.ts';

const vector = z.object({
  data: z.object({
    result: z.array(z.object({ metric: z.record(z.string(), z.string()), value: z.tuple([z.number(), z.string()]) })),
  }),
});

/** Starts a Prometheus with this scrape job until the end of the test. */
export const startPrometheus = async (prometheus: string, job: object) => {
  const folder = mkdtempSync(join(tmpdir(), 'snowgauge-prometheus-'));
  const config = join(folder, 'prometheus.yml');
  const global = { scrape_interval: '3s', scrape_timeout: '3s' };
  writeFileSync(config, JSON.stringify({ global, scrape_configs: [{ job_name: 'snowgauge', ...job }] }));
  const port = await freePort();
  const child = spawn(
    prometheus,
    [`--config.file=${config}`, `--storage.tsdb.path=${join(folder, 'data')}`, `--web.listen-address=127.0.0.1:${port}`],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  let log = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    log += chunk;
  });
  const exited = new Promise<void>((resolve) => child.once('close', () => resolve()));
  onTestFinished(async () => {
    child.kill();
    await exited;
    rmSync(folder, { recursive: true, force: true });
  });
  const query = async (promql: string, time?: string) => {
    const form = new URLSearchParams({ query: promql, ...(time !== undefined && { time }) });
    const answer = await fetch(`http://127.0.0.1:${port}/api/v1/query?${form}`).catch(() => undefined);
    return answer?.ok ? vector.parse(await answer.json()).data.result : [];
  };
  /** The value of one of its own metrics. */
  const own = async (name: string): Promise<number | undefined> => {
    const answer = await fetch(`http://127.0.0.1:${port}/metrics`).catch(() => undefined);
    const line = new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)$`, 'm').exec((await answer?.text()) ?? '');
    return line === null ? undefined : Number(line[1]);
  };
  return { query, own, log: () => log };
};
