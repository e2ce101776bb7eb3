// A real Prometheus probes with the documented configuration.

import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { parse, stringify } from 'yaml';
import * as z from 'zod/mini';
import { startChild } from '../../src/drills/child.ts';
import { roundsToSettle, startTestNode } from '../support/node.ts';
import { serveProbing } from '../support/probing.ts';
import { describeWith } from '../support/tools.ts';
import { until } from '../support/until.ts';

const result = z.object({
  data: z.object({
    result: z.array(z.object({ metric: z.record(z.string(), z.string()), value: z.tuple([z.number(), z.string()]) })),
  }),
});

/** The YAML block that begins with this. */
const documented = async (begins: string): Promise<string> => {
  const page = await readFile(new URL('../../docs/probe.md', import.meta.url), 'utf8');
  const blocks = page.split('```yaml\n').map((part) => part.split('```')[0] ?? '');
  return blocks.find((block) => block.startsWith(begins)) ?? '';
};

describeWith(['prometheus3'], 'a real Prometheus that probes', (prometheus) => {
  test('two nodes has the series of each, no exported_ labels, and no alert SnowgaugeAbsent', async () => {
    const nodes = await Promise.all([startTestNode({ indexEnabled: true }), startTestNode()]);
    for (const node of nodes) await node.ticks(roundsToSettle);
    const hosts = nodes.map(({ url }) => new URL(url).host);
    const ports = hosts.map((host) => host.split(':')[1]);
    const { url } = await serveProbing(`{ allow: [{ cidr: 127.0.0.0/8, ports: [${ports}] }] }`);

    const folder = await mkdtemp(join(tmpdir(), 'snowgauge-probe-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const text = (await documented('scrape_configs:')).replaceAll('snowgauge:9652', new URL(url).host);
    const [exporter, probes] = parse(text).scrape_configs;
    // Like service discovery: a label that the series have too, and one that the exporter does not have.
    const labels = { target: 'of the discovery', namespace: 'nodes' };
    const config = {
      global: { scrape_interval: '5s', scrape_timeout: '5s', evaluation_interval: '2s' },
      rule_files: [fileURLToPath(new URL('../../deploy/prometheus/snowgauge.rules.yaml', import.meta.url))],
      scrape_configs: [exporter, { ...probes, static_configs: [{ targets: hosts, labels }] }],
    };
    await writeFile(join(folder, 'prometheus.yml'), stringify(config));
    const args = [`--config.file=${join(folder, 'prometheus.yml')}`, `--storage.tsdb.path=${join(folder, 'data')}`];
    const child = startChild('Prometheus', prometheus, [...args, '--web.listen-address=127.0.0.1:0']);
    onTestFinished(child.stop);
    const base = `http://127.0.0.1:${await child.port}`;
    const vector = async (query: string, time?: number) => {
      const form = new URLSearchParams({ query, ...(time !== undefined && { time: String(time) }) });
      return result.parse(await (await fetch(`${base}/api/v1/query?${form}`)).json()).data.result;
    };
    // All other queries are for that time, because on a busy machine the next probe may fail.
    const at = await until('both were probed', async () => {
      const [one, other] = await vector('probe_success == 1');
      return other && one?.value[0];
    });
    const ask = async (query: string) => (await vector(query, at)).map(({ metric }) => metric);
    expect((await ask('snowgauge_health_healthy == 1')).map(({ instance, target }) => [instance, target]).sort()).toEqual(
      hosts.map((host) => [host, host]).sort(),
    );
    const all = await ask('{exporter_instance!=""}');
    expect(all.length).toBeGreaterThan(50);
    expect(all.flatMap((metric) => Object.keys(metric)).filter((label) => label.startsWith('exported_'))).toEqual([]);
    // Two evaluations after the rules have the nodes.
    const alerts = await until('the exporter is present', async () => {
      const known = await vector('snowgauge:identity offset 5s');
      const names = (await vector('ALERTS')).map(({ metric }) => metric.alertname);
      return known.length === 2 && names.includes('SnowgaugeWatchdog') && !names.includes('SnowgaugeAbsent') && names;
    });
    expect(alerts).not.toContain('SnowgaugeExporterDown');
  });
});
