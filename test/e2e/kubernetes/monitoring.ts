// The chart's monitors, its Probe and its rules with the Prometheus Operator and a Prometheus.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import { type Cluster, state } from '../../support/cluster/cluster.ts';
import { operatorObstacle, startOperator } from '../../support/cluster/operator.ts';
import { describeUnless } from '../../support/tools.ts';
import { until } from '../../support/until.ts';
import { hash, pem } from '../../support/web-config.ts';
import { podOf } from './pods.ts';
import { chart, install, isReady, makeSpace } from './release.ts';

const targets = z.object({
  data: z.object({ activeTargets: z.array(z.object({ scrapePool: z.string(), health: z.string(), lastError: z.string() })) }),
});
const rules = z.object({
  data: z.object({
    groups: z.array(
      z.object({
        name: z.string(),
        rules: z.array(z.object({ name: z.string(), health: z.string(), lastError: z.optional(z.string()) })),
      }),
    ),
  }),
});
const vector = z.object({
  data: z.object({
    result: z.array(z.object({ metric: z.record(z.string(), z.string()), value: z.tuple([z.number(), z.string()]) })),
  }),
});
const prometheusRule = z.object({
  spec: z.object({ groups: z.array(z.object({ name: z.string(), rules: z.array(z.unknown()) })) }),
});

/** Scrapes need a client certificate and a password: the Secret with them, and the values of the chart. */
const guarded = {
  secret: {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'guarded' },
    stringData: {
      ...Object.fromEntries(['ca.crt', 'server.crt', 'server.key', 'client.crt', 'client.key'].map((name) => [name, pem(name)])),
      user: 'prometheus',
      password: 's3cret',
    },
  },
  webConfig: {
    existingSecret: 'guarded',
    config: {
      tls_server_config: {
        ...{ cert_file: 'server.crt', key_file: 'server.key', client_ca_file: 'ca.crt' },
        client_auth_type: 'RequireAndVerifyClientCert',
        client_allowed_sans: ['client.invalid'],
      },
      basic_auth_users: { prometheus: hash },
    },
  },
  monitoring: {
    tlsConfig: {
      serverName: 'localhost',
      ca: { secret: { name: 'guarded', key: 'ca.crt' } },
      cert: { secret: { name: 'guarded', key: 'client.crt' } },
      keySecret: { name: 'guarded', key: 'client.key' },
    },
    basicAuth: { username: { name: 'guarded', key: 'user' }, password: { name: 'guarded', key: 'password' } },
  },
};

export const monitoringSuite = (cluster: () => Cluster): void => {
  describeUnless(
    operatorObstacle(),
    'the Prometheus Operator',
    () => {
      test.concurrent('scrapes by ServiceMonitor, PodMonitor, ScrapeConfig and Probe, loads the rules, and accepts every example', {
        timeout: 900_000,
      }, async (context) => {
        const space = await makeSpace(context, cluster(), 'monitored');
        const prometheus = await startOperator(cluster(), 'monitoring');
        const by = (kind: string) => ({ monitoring: { kind, interval: '2s', scrapeTimeout: '2s', refreshInterval: '2s' } });
        await install(space, cluster(), 'drill', {
          ...by('ServiceMonitor'),
          node: { healthCheckFrequency: '1s' },
          // Probes the node of the same pod.
          config: { probe: { allow: [{ cidr: '127.0.0.1' }] } },
          probe: { targets: ['127.0.0.1:9650'] },
          prometheusRule: { enabled: true, nodeMetrics: true },
        });
        // Discovers that node, as the next releases do.
        const discovery = { target: { healthCheckFrequency: '1s', timeout: '1s' } };
        await install(space, cluster(), 'pods', { ...by('PodMonitor'), mode: 'fleet', config: { discovery } });
        const { monitoring } = by('PodMonitor');
        await cluster().apply('monitored', guarded.secret);
        await install(space, cluster(), 'guarded', {
          ...{ mode: 'fleet', config: { discovery }, webConfig: guarded.webConfig },
          monitoring: { ...monitoring, ...guarded.monitoring },
        });
        await install(space, cluster(), 'twice', {
          ...by('ScrapeConfig'),
          mode: 'fleet',
          highAvailability: true,
          config: { discovery },
        });
        const api = async <T>(schema: z.ZodMiniType<T>, path: string): Promise<T> => {
          const { status, body } = await cluster().ask(`${prometheus}/api/v1/${path}`);
          if (status !== 200) throw new Error(`${path}: ${status} ${body}`);
          return schema.parse(JSON.parse(body));
        };

        const kinds = ['podMonitor', 'probe', 'scrapeConfig', 'serviceMonitor'];
        await until(`${kinds.join(', ')} have a target that is up`, async () => {
          const { activeTargets } = (await api(targets, 'targets?state=active')).data;
          const up = activeTargets.filter(({ health, lastError }) => health === 'up' && lastError === '');
          return new Set(up.map(({ scrapePool }) => scrapePool.split('/')[0])).size === kinds.length;
        });
        const node = 'monitored.drill-snowgauge-0';
        const query = async (text: string) => (await api(vector, `query?query=${encodeURIComponent(text)}`)).data.result;
        // Prometheus uses a certificate and a password; the kubelet, which has neither, probes a separate port.
        await until('snowgauge_up is 1 behind a web configuration', async () =>
          (await query('snowgauge_up{job="monitored/guarded-snowgauge"} == 1')).some(({ metric }) => metric.target === node),
        );
        // Prometheus may have scraped it before the kubelet has probed it.
        const pod = await until('the pod is ready', async () => {
          const found = await podOf(space, 'guarded-snowgauge-0');
          return isReady(found) && found;
        });
        await expect(space.ask(pod, 9652, '/metrics')).rejects.toThrow();
        expect((await space.ask(pod, 9653, '/livez')).status).toBe(200);
        expect((await space.ask(pod, 9653, '/metrics')).status).toBe(404);
        // All of them, and each replica of a fleet, have the series of the node, not only up.
        const ways = ['drill-snowgauge', 'monitored/pods-snowgauge', 'snowgauge', 'twice-snowgauge a', 'twice-snowgauge b'];
        await until(`snowgauge_up is 1 by ${ways.join(', ')}`, async () => {
          const found = (await query('snowgauge_up == 1')).map(({ metric: { job, replica } }) => [job, replica].join(' ').trim());
          return ways.every((way) => found.includes(way));
        });
        // On a busy machine a scrape may fail, so one is missing until both were scraped again.
        const twice = `snowgauge_up{job="twice-snowgauge",target="${node}",instance="${node}",namespace="monitored"}`;
        await until(`both replicas have ${twice}`, async () => (await query(twice)).length === 2);
        for (const label of ['target', 'instance', 'namespace', 'pod'])
          expect(await query(`{exported_${label}!=""}`), `exported_${label}`).toEqual([]);

        const wanted = prometheusRule.parse(await cluster().get('prometheusrule', space.namespace, 'drill-snowgauge')).spec
          .groups;
        const loaded = await until('every rule has been evaluated', async () => {
          const { groups } = (await api(rules, 'rules')).data;
          return (
            groups.length === wanted.length &&
            groups.every((group) => group.rules.every(({ health }) => health !== 'unknown')) &&
            groups
          );
        });
        expect(loaded.flatMap((group) => group.rules).filter(({ health }) => health !== 'ok')).toEqual([]);
        expect(loaded.flatMap((group) => group.rules)).toHaveLength(wanted.flatMap((group) => group.rules).length);
        const log = readFileSync(join(state, 'prometheus-operator.log'), 'utf8').split('\n');
        expect(
          log.filter((line) => /level=(warn|error)/i.test(line) && /(drill|pods|guarded|twice)-snowgauge/.test(line)),
        ).toEqual([]);

        // The operator's definitions are installed, so the API server can validate every documented example. The Roles for discovery are
        // in the discovered namespaces.
        const named = ['rpc', 'validators'].map((name) => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } }));
        await cluster().apply('default', ...named);
        for (const example of readdirSync(`${chart}/examples`).filter((name) => name.endsWith('.yaml'))) {
          const objects = await space.helm('template', 'example', chart, `--values=${chart}/examples/${example}`);
          expect(await cluster().kubectl(['apply', '--dry-run=server', '--filename=-'], { input: objects }), example).toMatch(
            /\(server dry run\)/,
          );
        }
      });
    },
    { concurrent: true },
  );
};
