// The package that `npm pack` makes in a clean clone: it has the whole program and nothing twice, and installs and runs offline.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { commandBlocks, document } from '../support/documented.ts';
import { freePort } from '../support/free-port.ts';
import { cleanClone, packed } from '../support/package.ts';
import { runTool } from '../support/run-tool.ts';
import { until } from '../support/until.ts';

const patience = { timeoutMs: 280_000 };

let clone = '';
let file = '';
let installed = '';
/** The commands of README.md that build, install and start the package. */
const [pack = '', install = '', start = ''] =
  commandBlocks(document('README.md'))
    .find((block) => block.startsWith('npm pack'))
    ?.split('\n') ?? [];
beforeAll(async () => {
  clone = cleanClone();
  file = await packed(clone, pack);
  installed = mkdtempSync(join(tmpdir(), 'snowgauge-installed-'));
  // Without a registry or a cache.
  const alone = { npm_config_prefix: installed, npm_config_offline: 'true', npm_config_cache: join(installed, 'cache') };
  await runTool('sh', ['-ec', install], { cwd: clone, env: { ...process.env, ...alone } });
});
afterAll(() => {
  for (const folder of [clone, installed]) rmSync(folder, { recursive: true, force: true });
});

const packageFolder = () => join(installed, 'lib/node_modules/snowgauge');
const bytesIn = (folder: string): number =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);

test('the package has no dependencies and no install scripts', () => {
  const described: Readonly<Record<string, unknown>> = JSON.parse(readFileSync(join(packageFolder(), 'package.json'), 'utf8'));
  expect(Object.keys(described)).not.toEqual(expect.arrayContaining([expect.stringMatching(/dependencies|scripts/i)]));
  expect(described).toMatchObject({ bin: { snowgauge: 'dist/snowgauge.js' }, engines: { node: '>=20.19' } });
  expect(readdirSync(join(installed, 'lib/node_modules'))).toEqual(['snowgauge']);
});

test('package.json of the clone is unchanged', () => {
  expect(readFileSync(join(clone, 'package.json'), 'utf8')).toBe(document('package.json'));
});

test('pack.mjs restore repairs package.json after a killed run', async () => {
  writeFileSync(join(clone, 'dist/package.json.before-pack'), document('package.json'));
  writeFileSync(join(clone, 'package.json'), '{}');
  await runTool('node', ['scripts/pack.mjs', 'restore'], { cwd: clone });
  expect(readFileSync(join(clone, 'package.json'), 'utf8')).toBe(document('package.json'));
});

test('docs/systemd.md has the size of the package', () => {
  const [, packedMb, installedMb] =
    /is ([\d.]+) MB, ([\d.]+) MB when installed/.exec(document('docs/systemd.md').replaceAll('\n', ' ')) ?? [];
  expect(statSync(file).size / 1e6 / Number(packedMb)).toBeCloseTo(1, 1);
  expect(bytesIn(packageFolder()) / 1e6 / Number(installedMb)).toBeCloseTo(1, 1);
});

test('the package contains unit, configuration, rules, dashboards and documents', () => {
  const files = readdirSync(packageFolder(), { recursive: true, encoding: 'utf8' });
  expect(files).toEqual(
    expect.arrayContaining([
      ...['LICENSE', 'README.md', 'dist/THIRD-PARTY-LICENSES.txt', 'docs/systemd.md', 'docs/runbooks/SnowgaugeTargetDown.md'],
      ...['deploy/systemd/snowgauge.service', 'deploy/prometheus/snowgauge.rules.yaml', 'deploy/grafana/node.json'],
    ]),
  );
  expect(files.filter((name) => name.endsWith('.map') || name.startsWith('charts'))).toEqual([]);
});

test('the package contains exactly the files of this build', () => {
  const known = readdirSync(join(clone, 'dist/lib'), { recursive: true, encoding: 'utf8' }).filter(
    (name) => !name.endsWith('.map'),
  );
  expect(readdirSync(join(packageFolder(), 'dist/lib'), { recursive: true, encoding: 'utf8' }).toSorted()).toEqual(
    known.toSorted(),
  );
});

/** Starts the installed program and collects its stdout; ends with the test. */
const started = (command: string, functions = '') => {
  const env = { ...process.env, PATH: [join(installed, 'bin'), process.env.PATH].join(delimiter) };
  // In its own process group, because the shell does not forward signals.
  const child = spawn('bash', ['--norc', '-ec', `${functions}\n${command}`], {
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  const ended = once(child, 'close');
  onTestFinished(async () => {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
    await ended;
  });
  return { said: () => said };
};

test('the last command of README.md starts the demo', async () => {
  expect(start).toBe('snowgauge demo');
  const { said } = started(start, 'snowgauge() { command snowgauge "$@" --listen 127.0.0.1:0 --node-port 0 --log.format json; }');
  const url = await until('it serves', async () => /metrics +(http:\S+)\/metrics/.exec(said())?.[1]);
  await until('the node of the demo is healthy', async () =>
    (await (await fetch(`${url}/metrics`)).text()).includes('snowgauge_up{target="node"} 1\n'),
  );
});

test('the installed node loads its native addon', async () => {
  const data = mkdtempSync(join(tmpdir(), 'snowgauge-data-'));
  onTestFinished(() => rmSync(data, { recursive: true }));
  const port = await freePort();
  started(`snowgauge node --http-port ${port} --health-check-frequency 1s --index-enabled --data-dir ${data}`);
  const command = join(installed, 'bin/snowgauge');
  expect(await runTool(command, ['wait', `http://127.0.0.1:${port}`, '--for', 'healthy', '--timeout', '4m'], patience)).toContain(
    'healthy',
  );
  expect(readdirSync(data).length).toBeGreaterThan(0);
});
