// What `npm pack` makes in a clean clone: the whole program and nothing twice. It installs and runs where there is nothing else.

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
/** As README.md has them: what makes the package, what installs it, what starts it. */
const [pack = '', install = '', start = ''] =
  commandBlocks(document('README.md'))
    .find((block) => block.startsWith('npm pack'))
    ?.split('\n') ?? [];
beforeAll(async () => {
  clone = cleanClone();
  file = await packed(clone, pack);
  installed = mkdtempSync(join(tmpdir(), 'snowgauge-installed-'));
  // Neither a registry nor a cache to take anything from.
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

test('the package asks for no other, and runs nothing when it is installed', () => {
  const described: Readonly<Record<string, unknown>> = JSON.parse(readFileSync(join(packageFolder(), 'package.json'), 'utf8'));
  expect(Object.keys(described)).not.toEqual(expect.arrayContaining([expect.stringMatching(/dependencies|scripts/i)]));
  expect(described).toMatchObject({ bin: { snowgauge: 'dist/snowgauge.js' }, engines: { node: '>=20.19' } });
  expect(readdirSync(join(installed, 'lib/node_modules'))).toEqual(['snowgauge']);
});

test('package.json of the clone is as it was', () => {
  expect(readFileSync(join(clone, 'package.json'), 'utf8')).toBe(document('package.json'));
});

test('one that was killed before it put package.json back is made good by the next', async () => {
  writeFileSync(join(clone, 'dist/package.json.before-pack'), document('package.json'));
  writeFileSync(join(clone, 'package.json'), '{}');
  await runTool('node', ['scripts/pack.mjs', 'restore'], { cwd: clone });
  expect(readFileSync(join(clone, 'package.json'), 'utf8')).toBe(document('package.json'));
});

test('docs/systemd.md says what it weighs', () => {
  const [, packedMb, installedMb] =
    /is ([\d.]+) MB, ([\d.]+) MB when installed/.exec(document('docs/systemd.md').replaceAll('\n', ' ')) ?? [];
  expect(statSync(file).size / 1e6 / Number(packedMb)).toBeCloseTo(1, 1);
  expect(bytesIn(packageFolder()) / 1e6 / Number(installedMb)).toBeCloseTo(1, 1);
});

test('holds what a plain machine needs beside the program: unit, configuration, rules, dashboards, documents', () => {
  const files = readdirSync(packageFolder(), { recursive: true, encoding: 'utf8' });
  expect(files).toEqual(
    expect.arrayContaining([
      ...['LICENSE', 'README.md', 'dist/THIRD-PARTY-LICENSES.txt', 'docs/systemd.md', 'docs/runbooks/SnowgaugeTargetDown.md'],
      ...['deploy/systemd/snowgauge.service', 'deploy/prometheus/snowgauge.rules.yaml', 'deploy/grafana/node.json'],
    ]),
  );
  expect(files.filter((name) => name.endsWith('.map') || name.startsWith('charts'))).toEqual([]);
});

test('every file of the program is of this build', () => {
  const known = readdirSync(join(clone, 'dist/lib'), { recursive: true, encoding: 'utf8' }).filter(
    (name) => !name.endsWith('.map'),
  );
  expect(readdirSync(join(packageFolder(), 'dist/lib'), { recursive: true, encoding: 'utf8' }).toSorted()).toEqual(
    known.toSorted(),
  );
});

/** What is installed, with what it writes to stdout; ends with the test. */
const started = (command: string, functions = '') => {
  const env = { ...process.env, PATH: [join(installed, 'bin'), process.env.PATH].join(delimiter) };
  // In a group of its own: the shell passes no signal on.
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

test('the command that README.md ends with starts the demo', async () => {
  expect(start).toBe('snowgauge demo');
  const { said } = started(start, 'snowgauge() { command snowgauge "$@" --listen 127.0.0.1:0 --node-port 0 --log.format json; }');
  const url = await until('it serves', async () => /metrics +(http:\S+)\/metrics/.exec(said())?.[1]);
  await until('the node of the demo is healthy', async () =>
    (await (await fetch(`${url}/metrics`)).text()).includes('snowgauge_up{target="node"} 1\n'),
  );
});

test('the installed node loads its addon', async () => {
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
