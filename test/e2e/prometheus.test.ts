// A real Prometheus and a real promtool read the exporter's pages.

import { execFile, spawnSync } from 'node:child_process';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { Targets } from '../../src/conditions/condition.ts';
import { createPage } from '../../src/metrics/page.ts';
import type { MetricsReply } from '../../src/server/reply.ts';
import { nodes, world } from '../discovery/world.ts';
import { serveExporter } from '../support/exporter-server.ts';
import { parseExposition } from '../support/exposition-parser.ts';
import { freePort } from '../support/free-port.ts';
import { build, reload } from '../support/metrics.ts';
import { startPrometheus } from '../support/prometheus.ts';
import { richTarget } from '../support/rich.ts';
import { serveHttp } from '../support/serve.ts';
import { fresh, noon, passing, report, targetKnowing, targetOptions, targetsOf } from '../support/snapshot.ts';
import { describeWith } from '../support/tools.ts';

const timeout = 300_000;
const execute = promisify(execFile);
const openmetrics = 'application/openmetrics-text;version=1.0.0';

/** Every family, and a second target whose checks have names that are hard to encode. */
const everything = (): Targets => {
  const names = ['', '"', '\\', '\n', 'a\r\tb', '\0', '}', 'a\ud800', 'ünï ❄ 𝔤', 'x'.repeat(300)];
  const odd = report(Object.fromEntries(names.map((name) => [name, passing({ message: { [name]: 1, wait: '3s' } })])));
  const other = targetKnowing(targetOptions({ name: 'odd', labels: { region: 'eu-1' } }), { health: { all: fresh(odd) } });
  return targetsOf(richTarget(), other);
};

/** Enough targets that the page is compressed in blocks. */
const fleet = (): Targets =>
  targetsOf(
    ...Array.from({ length: 100 }, (_, at) =>
      targetKnowing(targetOptions({ name: `n${at}` }), { health: { all: fresh(report({ [`check ${at}`]: passing() })) } }),
    ),
  );

/** The exporter's server for one snapshot, which serves one format regardless of the request. */
const serve = async (accept: string | undefined, targets = everything()): Promise<string> => {
  const page = createPage(build);
  const state = { targets, version: 1, wallOffset: 0, reload };
  const metrics: MetricsReply = (_, acceptEncoding, part) => page.at(state, noon, accept, acceptEncoding, part);
  const server = await serveExporter({ targets, metrics });
  return server.url;
};

describeWith(['promtool'], 'promtool check metrics', (promtool) => {
  test.each([{ format: 'text', accept: undefined }])('has no output for the page in $format', { timeout }, async ({ accept }) => {
    const text = await (await fetch(`${await serve(accept)}/metrics`)).text();
    const { status, stdout, stderr } = spawnSync(promtool, ['check', 'metrics'], { input: text, encoding: 'utf8' });
    expect({ status, said: stdout + stderr }).toEqual({ status: 0, said: '' });
  });
});

describeWith(['curl'], 'curl --compressed', (curl) => {
  test('reads the whole page of a fleet', { timeout }, async () => {
    const url = await serve(undefined, fleet());
    // Asynchronous, because this process serves the page.
    const read = async (...args: readonly string[]): Promise<string> => {
      const { stdout } = await execute(curl, ['--silent', '--show-error', ...args, `${url}/metrics`], { maxBuffer: 2 ** 26 });
      return stdout;
    };
    const ofTargets = (page: string): string => page.slice(0, page.indexOf('# HELP snowgauge_build_info'));
    const [packed, plain] = [await read('--compressed'), await read()];
    expect(ofTargets(packed) === ofTargets(plain)).toBe(true);
    expect(packed).toContain('\nprocess_start_time_seconds ');
    expect(await read('--header', 'Accept-Encoding: gzip', '--head')).toMatch(/^content-encoding: gzip\r$/im);
  });
});

describeWith(['prometheus'], 'a real Prometheus', (prometheus) => {
  test('discovers each target by /api/v1/sd and adds no exported_ labels', { timeout }, async () => {
    const url = await serve(undefined);
    // The interval is also its timeout, after which it warns.
    const job = { honor_labels: true, http_sd_configs: [{ url: `${url}/api/v1/sd`, refresh_interval: '1m' }] };
    const { query, log } = await startPrometheus(prometheus, job);
    const address = url.replace('http://', '');
    // Queries until all three were scraped; the test's timeout ends it. All other queries are for that time, because on a busy machine
    // the next scrape may fail.
    let up: Awaited<ReturnType<typeof query>> = [];
    while (up.length < 3) {
      up = await query('up == 1');
      if (up.length < 3) await wait(250);
    }
    expect(up.map(({ metric }) => [metric.instance, metric.exporter_instance, metric.region]).toSorted()).toEqual([
      [address, undefined, undefined],
      ['node', address, undefined],
      ['odd', address, 'eu-1'],
    ]);
    const known = await query('{job="snowgauge"}', String(up[0]?.value[0]));
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

  test('keeps its targets while a restarted exporter waits for its discovery sources', { timeout }, async () => {
    const [node, port] = [await nodes(), await freePort()];
    const found = Array.from({ length: 3 }, (_, at) => `127.0.0.${at + 2}:${node.port}`);
    let isSilent = false;
    const inventory = await serveHttp((_, response) => {
      response.setHeader('content-type', 'application/json');
      if (!isSilent) response.end(JSON.stringify([{ targets: found }]));
    });
    onTestFinished(() => inventory.close());
    const config = { targets: [], discovery: { target: { indexes: [] }, http: [{ url: inventory.url }] } };
    const begun = Date.now() / 1000;
    // With a fixed clock the exporter never stops waiting for its sources.
    const standing = { port, clock: () => begun };
    const first = await world(config, undefined, standing);
    const url = `http://127.0.0.1:${port}/api/v1/sd`;
    const { query, own } = await startPrometheus(prometheus, {
      honor_labels: true,
      http_sd_configs: [{ url, refresh_interval: '1s' }],
    });
    const listed = () => own('prometheus_sd_discovered_targets');
    await expect.poll(listed, { timeout }).toBe(4);
    await expect.poll(() => query('up == 1'), { timeout }).toHaveLength(4);
    await first.end();
    isSilent = true;
    // A child process of another test keeps our listener open until it runs its program.
    await vi.waitFor(() => world(config, undefined, standing), { timeout });
    const failures = () => own('prometheus_sd_http_failures_total').then((count = 0) => count);
    const before = await failures();
    // Two refreshes, so that the second began after the restart.
    while ((await failures()) < before + 2 && (await listed()) === 4) await wait(100);
    expect(await listed()).toBe(4);
  });

  test.each([
    { format: 'text' as const, accept: undefined, of: 'a page', targets: everything },
    { format: 'openmetrics' as const, accept: openmetrics, of: 'a page', targets: everything },
    { format: 'text' as const, accept: undefined, of: 'the page of a fleet', targets: fleet },
    { format: 'openmetrics' as const, accept: openmetrics, of: 'the page of a fleet', targets: fleet },
  ])('scrapes $of in $format without a warning, and has every series', { timeout }, async ({ format, accept, targets }) => {
    const url = await serve(accept, targets());
    const { query, log } = await startPrometheus(prometheus, { static_configs: [{ targets: [url.replace('http://', '')] }] });
    // Queries until it was scraped; the test's timeout ends it. All other queries are for that scrape, because on a busy machine the
    // next may fail.
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
    if (targets === everything)
      expect((await query('snowgauge_disk_available_ratio', scrapedAt)).map(({ value }) => value[1])).toEqual(['0.05']);
    expect(
      log()
        .split('\n')
        .filter((line) => /level=(warn|error)/i.test(line)),
    ).toEqual([]);
  });
});
