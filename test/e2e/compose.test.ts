// Checks deploy/compose.yaml without Docker: with Docker Compose's loader, with the programs whose configuration it mounts, and with
// our own parsers.

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import * as z from 'zod/mini';
import { demoSubnets } from '../../src/commands/demo-scenario.ts';
import { parseConfig } from '../../src/config/load.ts';
import { nodeFlags } from '../../src/node/options.ts';
import { scenarioFrom } from '../support/node.ts';
import { describeWith } from '../support/tools.ts';

const deploy = fileURLToPath(new URL('../../deploy/', import.meta.url));
const text = (path: string): string => readFileSync(join(deploy, path), 'utf8');

const service = z.object({
  image: z.string(),
  build: z.optional(z.object({ context: z.string(), dockerfile: z.string() })),
  entrypoint: z.optional(z.nullable(z.array(z.string()))),
  command: z.optional(z.nullable(z.array(z.string()))),
  environment: z.optional(z.record(z.string(), z.string())),
  ports: z.optional(z.array(z.object({ host_ip: z.string() }))),
  volumes: z.optional(
    z.array(z.object({ type: z.string(), source: z.string(), target: z.string(), read_only: z.optional(z.boolean()) })),
  ),
});
const project = z.object({ services: z.record(z.string(), service), volumes: z.record(z.string(), z.unknown()) });
type Project = z.output<typeof project>;

describeWith(['compose-spec'], 'deploy/compose.yaml', (composeSpec) => {
  const load = (): Project => {
    const { status, stdout, stderr } = spawnSync(composeSpec, ['-format', 'json', 'compose.yaml'], {
      cwd: deploy,
      encoding: 'utf8',
    });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    return project.parse(JSON.parse(stdout));
  };

  test('loads without errors and has all six services', () => {
    expect(Object.keys(load().services).sort()).toEqual([
      'alertmanager',
      'grafana',
      'node',
      'notifications',
      'prometheus',
      'snowgauge',
    ]);
  });

  test('mounts only files that exist, read-only', () => {
    const { services, volumes } = load();
    const mounts = Object.values(services).flatMap((one) => one.volumes ?? []);
    expect(mounts.length).toBeGreaterThan(5);
    for (const { type, source, read_only: readOnly } of mounts) {
      if (type === 'volume') expect(Object.keys(volumes)).toContain(source);
      else expect({ source, exists: existsSync(source), readOnly }).toEqual({ source, exists: true, readOnly: true });
    }
  });

  test('pins every image that it does not build, and builds from a Dockerfile that exists', () => {
    for (const { image, build } of Object.values(load().services)) {
      if (build === undefined) expect(image).toMatch(/^docker\.io\/[\w./-]+:v?\d+\.\d+\.\d+$/);
      else expect({ ...build, exists: existsSync(join(build.context, build.dockerfile)) }).toMatchObject({ exists: true });
    }
  });

  test('publishes ports only on 127.0.0.1', () => {
    const ports = Object.values(load().services).flatMap((one) => one.ports ?? []);
    expect(ports.length).toBeGreaterThan(3);
    expect(ports.filter(({ host_ip: host }) => host !== '127.0.0.1')).toEqual([]);
  });

  test('gives the node only known flags, and each program only files that are mounted', () => {
    const { services } = load();
    const flags = (services.node?.command ?? []).flatMap((word) => /^--([^=]+)/.exec(word)?.[1] ?? []);
    const known = nodeFlags.map(({ name }) => name);
    expect(flags.filter((flag) => !known.includes(flag))).toEqual([]);
    expect(flags).toContain('scenario');
    for (const { entrypoint, command, volumes = [] } of Object.values(services)) {
      const files = [...(entrypoint ?? []), ...(command ?? [])]
        .map((word) => word.replace(/^--[^=]+=/, ''))
        .filter((word) => /^\/etc\//.test(word));
      const targets = volumes.map(({ target }) => target);
      expect(files.filter((file) => !targets.includes(file))).toEqual([]);
    }
  });

  test('provisions the dashboards in a folder with a fixed uid, with an existing one as home', () => {
    const { grafana } = load().services;
    const provisioned = z
      .object({
        providers: z.array(z.object({ folder: z.string(), folderUid: z.string(), options: z.object({ path: z.string() }) })),
      })
      .parse(parse(text('grafana/provisioning/dashboards/snowgauge.yaml')));
    const [provider] = provisioned.providers;
    expect(provider).toMatchObject({ folder: 'Snowgauge', folderUid: 'snowgauge' });
    const mount = grafana?.volumes?.find(({ target }) => target === provider?.options.path);
    const home = grafana?.environment?.GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH ?? '';
    expect(existsSync(join(mount?.source ?? '', basename(home)))).toBe(true);
  });
});

/** Files of deploy in one folder, as they are mounted. */
const mounted = (...files: readonly string[]): string => {
  const folder = mkdtempSync(join(tmpdir(), 'snowgauge-compose-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const file of files) cpSync(join(deploy, file), join(folder, basename(file)));
  return folder;
};

for (const tool of ['promtool', 'promtool3']) {
  describeWith([tool], `${tool} check config`, (promtool) => {
    test('accepts the configuration of Prometheus with the rules', () => {
      const folder = mounted('compose/prometheus.yml', 'compose/snowgauge.rules.yaml');
      const { status, stdout } = spawnSync(promtool, ['check', 'config', join(folder, 'prometheus.yml')], { encoding: 'utf8' });
      expect({ status, stdout }).toEqual({ status: 0, stdout: expect.stringMatching(/SUCCESS: \d+ rules found/) });
    });
  });
}

describeWith(['amtool'], 'amtool check-config', (amtool) => {
  test('accepts the configuration of Alertmanager', () => {
    const { status, stdout } = spawnSync(amtool, ['check-config', join(deploy, 'compose/alertmanager.yml')], {
      encoding: 'utf8',
    });
    expect({ status, stdout }).toEqual({ status: 0, stdout: expect.stringContaining('SUCCESS') });
  });
});

describe('the notifications service', () => {
  test('shows each notification, the newest first, and rejects any other body with 400', async () => {
    const child = spawn(process.execPath, [join(deploy, 'compose/notifications.mjs')], {
      env: { PORT: '0' },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    onTestFinished(() => {
      child.kill();
    });
    const [listening] = await once(child.stdout, 'data');
    const url = `http://127.0.0.1:${/\d+/.exec(`${listening}`)?.[0]}`;
    expect(await (await fetch(url)).text()).toBe('No notification yet.\n');
    const post = async (receiver: string, body: string): Promise<number> =>
      (await fetch(`${url}/${receiver}`, { method: 'POST', body })).status;
    const down = {
      status: 'firing',
      labels: { alertname: 'SnowgaugeTargetDown', severity: 'critical' },
      annotations: { summary: 'It is down.' },
    };
    const body = JSON.stringify({ status: 'firing', groupLabels: { scope: 'target' }, alerts: [down] });
    expect([await post('pager', body), await post('chat', body), await post('pager', 'hello')]).toEqual([200, 200, 400]);
    const lines = (await (await fetch(url)).text()).trim().split('\n');
    expect(lines).toEqual([
      expect.stringMatching(/Z chat, firing, 1 in group \{"scope":"target"\}$/),
      '  firing critical SnowgaugeTargetDown: It is down.',
      expect.stringMatching(/Z pager, firing, 1 in group/),
      '  firing critical SnowgaugeTargetDown: It is down.',
    ]);
  });

  test('is called by every receiver of Alertmanager', () => {
    const hook = z.object({ url: z.string() });
    const { receivers } = z
      .object({ receivers: z.array(z.object({ webhook_configs: z.optional(z.array(hook)) })) })
      .parse(parse(text('compose/alertmanager.yml')));
    expect(receivers.flatMap(({ webhook_configs: hooks = [] }) => hooks.map(({ url }) => url))).toEqual(
      ['pager', 'chat', 'watchdog'].map((name) => `http://notifications:9094/${name}`),
    );
  });
});

describe('the files of snowgauge and the node', () => {
  test('the configuration is valid and has the subnets of the scenario as tags', async () => {
    const loaded = await parseConfig(text('compose/snowgauge.yaml'), {});
    if (loaded.kind === 'invalid') throw new Error(JSON.stringify(loaded.errors));
    const tags = loaded.value.targets.flatMap(({ options }) => options.tagSets.flatMap((tagSet) => tagSet.tags));
    expect(tags).toEqual(expect.arrayContaining(Object.values(demoSubnets)));
  });

  test('the scenario is valid and has faults', async () => {
    expect((await scenarioFrom(text('compose/scenario.yaml'))).faults.length).toBeGreaterThan(3);
  });
});

describe('the rules of the demo', () => {
  const seconds = z.pipe(
    z.string().check(z.regex(/^\d+(?:s|m)$/)),
    z.transform((of) => Number.parseInt(of, 10) * (of.endsWith('m') ? 60 : 1)),
  );
  const scraping = z.object({ global: z.object({ scrape_interval: seconds, evaluation_interval: seconds }) });
  const alerting = z.object({ alert: z.string(), for: seconds, keep_firing_for: z.optional(seconds) });
  const { global: every } = scraping.parse(parse(text('compose/prometheus.yml')));
  const looks = every.scrape_interval + every.evaluation_interval;
  const rules = z
    .object({ groups: z.array(z.object({ rules: z.array(z.union([alerting, z.object({ record: z.string() })])) })) })
    .parse(parse(text('compose/snowgauge.rules.yaml')))
    .groups.flatMap(({ rules: all }) => all.filter((rule) => 'alert' in rule));

  test('fire while their fault lasts and resolve before the next fault', async () => {
    const { faults } = await scenarioFrom(text('compose/scenario.yaml'));
    const loaded = await parseConfig(text('compose/snowgauge.yaml'), {});
    const [target] = loaded.kind === 'ok' ? loaded.value.targets : [];
    // A report is stale, and a node frozen, after three check intervals; no detection takes longer.
    const patience = 3 * (target?.options.healthCheckFrequency ?? Number.NaN);
    const ats = faults.map(({ at }) => at).sort((a, b) => a - b);
    const pauses = faults.map((one) => (ats.find((at) => at > one.at) ?? Number.POSITIVE_INFINITY) - one.at - (one.for ?? 0));
    expect(rules.length).toBeGreaterThan(20);
    for (const rule of rules) {
      expect(rule).toSatisfy(() => patience + rule.for + looks <= Math.min(...faults.map((one) => one.for ?? 0)));
      expect(rule).toSatisfy(() => (rule.keep_firing_for ?? 0) + looks <= Math.min(...pauses));
    }
  });
});
