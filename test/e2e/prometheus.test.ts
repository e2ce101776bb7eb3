// A real Prometheus and a real promtool read what we serve.

import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import * as z from 'zod/mini';
import type { Targets } from '../../src/conditions/condition.ts';
import { createPage } from '../../src/metrics/page.ts';
import type { MetricsReply } from '../../src/server/routes.ts';
import { serveExporter } from '../support/exporter-server.ts';
import { parseExposition } from '../support/exposition-parser.ts';
import { freePort } from '../support/free-port.ts';
import { build, reload } from '../support/metrics.ts';
import { richTarget } from '../support/rich.ts';
import { fresh, noon, passing, report, targetKnowing, targetOptions, targetsOf } from '../support/snapshot.ts';
import { describeWith } from '../support/tools.ts';

const timeout = 180_000;
const openmetrics = 'application/openmetrics-text;version=1.0.0';

/** Every family, and a second target whose checks have names that a format could stumble over. */
const everything = (): Targets => {
  const names = ['', '"', '\\', '\n', 'a\r\tb', '\0', '}', 'a\ud800', 'ünï ❄ 𝔤', 'x'.repeat(300)];
  const odd = report(Object.fromEntries(names.map((name) => [name, passing({ message: { [name]: 1, wait: '3s' } })])));
  const other = targetKnowing(targetOptions({ name: 'odd', labels: { region: 'eu-1' } }), { health: { all: fresh(odd) } });
  return targetsOf(richTarget(), other);
};

/** The exporter's own server over one snapshot, answering in one format whatever is asked for. */
const serve = async (accept: string | undefined): Promise<string> => {
  const page = createPage(build);
  const targets = everything();
  const state = { targets, version: 1, wallOffset: 0, reload };
  const metrics: MetricsReply = (_, acceptEncoding, part) => page.at(state, noon, accept, acceptEncoding, part);
  const server = await serveExporter({ targets, metrics });
  return server.url;
};

const vector = z.object({
  data: z.object({
    result: z.array(z.object({ metric: z.record(z.string(), z.string()), value: z.tuple([z.number(), z.string()]) })),
  }),
});

describeWith(['promtool'], 'promtool check metrics', (promtool) => {
  test.each([{ format: 'text', accept: undefined }])(
    'has nothing to say of the page in $format',
    { timeout },
    async ({ accept }) => {
      const text = await (await fetch(`${await serve(accept)}/metrics`)).text();
      const { status, stdout, stderr } = spawnSync(promtool, ['check', 'metrics'], { input: text, encoding: 'utf8' });
      expect({ status, said: stdout + stderr }).toEqual({ status: 0, said: '' });
    },
  );
});

/** One that scrapes so, until the test ends. */
const startPrometheus = async (prometheus: string, job: object) => {
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
  return { query, log: () => log };
};

describeWith(['prometheus'], 'a real Prometheus', (prometheus) => {
  test('finds each target by /api/v1/sd, and renames no label of its series', { timeout }, async () => {
    const url = await serve(undefined);
    const job = { honor_labels: true, http_sd_configs: [{ url: `${url}/api/v1/sd`, refresh_interval: '1s' }] };
    const { query, log } = await startPrometheus(prometheus, job);
    const address = url.replace('http://', '');
    // Asked until all three were scraped: the test's own timeout ends it.
    let up: Awaited<ReturnType<typeof query>> = [];
    while (up.length < 3) {
      up = await query('up == 1');
      if (up.length < 3) await wait(250);
    }
    expect(up.map(({ metric }) => [metric.instance, metric.region]).toSorted()).toEqual([
      [address, undefined],
      ['node', undefined],
      ['odd', 'eu-1'],
    ]);
    const known = await query('{job="snowgauge"}');
    expect(known.filter(({ metric }) => Object.keys(metric).some((label) => label.startsWith('exported_')))).toEqual([]);
    const misplaced = known.filter(({ metric }) => metric.target !== undefined && metric.target !== metric.instance);
    expect(misplaced).toEqual([]);
    const [page, own] = await Promise.all(
      ['/metrics', '/exporter/metrics'].map(async (path) => (await fetch(url + path)).text()),
    );
    const count = (text = ''): number =>
      parseExposition(text, 'text').flatMap(({ series }) => series.filter(({ name }) => name.startsWith('snowgauge_'))).length;
    expect(known.filter(({ metric }) => metric.__name__?.startsWith('snowgauge_'))).toHaveLength(count(page));
    expect(known.filter(({ metric }) => metric.instance === address && metric.__name__?.startsWith('snowgauge_'))).toHaveLength(
      count(own),
    );
    expect(
      log()
        .split('\n')
        .filter((line) => /level=(warn|error)/i.test(line)),
    ).toEqual([]);
  });

  test.each([
    { format: 'text' as const, accept: undefined },
    { format: 'openmetrics' as const, accept: openmetrics },
  ])('scrapes $format without a warning, and knows every series of the page', { timeout }, async ({ format, accept }) => {
    const url = await serve(accept);
    const { query, log } = await startPrometheus(prometheus, { static_configs: [{ targets: [url.replace('http://', '')] }] });
    // Asked until it is so: the test's own timeout ends it. Everything else is asked as of that one scrape, because on a busy
    // machine the next may fail.
    let scrapedAt: string | undefined;
    while (scrapedAt === undefined) {
      scrapedAt = (await query('timestamp(up{job="snowgauge"} == 1)'))[0]?.value[1];
      if (scrapedAt === undefined) await wait(250);
    }

    const page = await (await fetch(`${url}/metrics`)).text();
    const series = parseExposition(page, format).flatMap((family) => family.series);
    const wanted = series.filter(({ name }) => name.startsWith('snowgauge_'));
    const known = await query('{__name__=~"snowgauge_.+"}', scrapedAt);
    expect(known).toHaveLength(wanted.length);
    expect(Number((await query('scrape_samples_scraped', scrapedAt))[0]?.value[1])).toBe(series.length);
    expect((await query('snowgauge_disk_available_ratio', scrapedAt)).map(({ value }) => value[1])).toEqual(['0.05']);
    expect(
      log()
        .split('\n')
        .filter((line) => /level=(warn|error)/i.test(line)),
    ).toEqual([]);
  });
});
