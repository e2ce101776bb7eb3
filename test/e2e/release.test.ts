// What a release rejects before it builds anything, on a prepared copy of this tree. release.long.test.ts makes the release.

import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { readNames } from '../../scripts/names.mjs';
import { runTool } from '../support/run-tool.ts';
import { copyTree } from '../support/tree.ts';

const version = '7.8.9';
const { image } = readNames();
let tree = '';

const script = (path: string, ...args: readonly string[]): Promise<string> =>
  runTool(process.execPath, [join(tree, 'scripts', path), ...args], { cwd: tree });

beforeAll(async () => {
  tree = copyTree();
  await script('release/prepare.mjs', version);
});
afterAll(() => rmSync(tree, { recursive: true }));

test.each([
  { docker: 'is not installed', says: 'spawn docker ENOENT', remedy: 'install Docker with buildx' },
  {
    docker: 'has no daemon',
    answer: 'Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?',
    remedy: 'start the daemon (systemctl start docker)',
  },
  {
    docker: 'may not be used',
    answer: 'permission denied while trying to connect to the Docker daemon socket at unix:///var/run/docker.sock',
    remedy: 'let this user use the daemon (group docker)',
  },
  { docker: 'has no buildx', answer: 'docker: unknown command: docker buildx', remedy: 'install the plugin buildx' },
])('prints why docker cannot build the image, and the remedy: it $docker', async ({ answer, says = answer, remedy }) => {
  const folder = mkdtempSync(join(tmpdir(), 'snowgauge-programs-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  if (answer !== undefined) writeFileSync(join(folder, 'docker'), `#!/bin/sh\necho '${answer}' >&2\nexit 1\n`, { mode: 0o755 });
  const image = join(tree, 'scripts/release/image.mjs');
  const run = (...args: readonly string[]) =>
    promisify(execFile)(process.execPath, [image, '--out', folder, ...args], { env: { PATH: folder }, cwd: tree });
  const { stderr } = await run('--dry-run');
  expect(stderr).toContain(`${says}\n`);
  expect(stderr).toContain(`To mend it: ${remedy}`);
  expect(stderr).toContain('NOT MADE: image: neither docker with buildx nor buildah can build one');
  await expect(run('--tag', `v${version}`)).rejects.toThrow(remedy);
});

test.each([
  {
    what: 'a tag that differs from the version',
    args: ['--dry-run', '--tag', 'v1.2.3'],
    says: `the tag v1.2.3 is not v${version}`,
  },
  { what: 'a missing tag without --dry-run', args: [], says: '--tag vX.Y.Z is needed, or --dry-run' },
])('rejects $what', async ({ args, says }) => {
  await expect(script('release/check.mjs', ...args)).rejects.toThrow(says);
});

test('rejects an --out folder that is not empty and leaves its files', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'snowgauge-out-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'mine'), '');
  await expect(script('release.mjs', '--dry-run', '--out', folder)).rejects.toThrow('is not empty');
  expect(readdirSync(folder)).toEqual(['mine']);
});

test('rejects a tree with differing versions and names each place', async () => {
  const changes = [
    { file: 'charts/snowgauge/Chart.yaml', from: `appVersion: ${version}`, to: 'appVersion: 1.2.3' },
    { file: 'package-lock.json', from: `"version": "${version}"`, to: '"version": "1.2.3"' },
    { file: 'CHANGELOG.md', from: `## [${version}]`, to: '## [1.2.3]' },
    { file: 'docs/container.md', from: '\n', to: `\n${image}:1.2.3\n` },
  ].map((change) => ({ ...change, path: join(tree, change.file), before: readFileSync(join(tree, change.file), 'utf8') }));
  onTestFinished(() => {
    for (const { path, before } of changes) writeFileSync(path, before);
  });
  for (const { path, before, from, to } of changes) writeFileSync(path, before.replace(from, to));
  const error: unknown = await script('release/check.mjs', '--dry-run', '--tag', `v${version}`).catch((failure) => failure);
  for (const says of [
    'appVersion of Chart.yaml is 1.2.3',
    'package-lock.json is 1.2.3',
    `CHANGELOG.md has no heading \`## [${version}] - YYYY-MM-DD\``,
    'docs/container.md:2: package.json says',
  ]) {
    expect(String(error)).toContain(says);
  }
});
