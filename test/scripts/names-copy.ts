// Changes the names in a copy of the tree.

import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { readNames } from '../../scripts/names.mjs';
import { root } from '../support/chart.ts';

export const docs = (copy: string, ...args: readonly string[]) =>
  new Promise<{ readonly code: unknown; readonly stderr: string }>((resolve) => {
    execFile(process.execPath, [join(copy, 'scripts/docs.mjs'), ...args], (error, _, stderr) => {
      resolve({ code: error === null ? 0 : error.code, stderr });
    });
  });

const filesIn = (folder: string): readonly string[] =>
  readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (entry.name === 'node_modules' || entry.name === 'dist') return [];
    return entry.isDirectory() ? filesIn(join(folder, entry.name)) : [join(folder, entry.name)];
  });

/** Files that contain a name, without the changelog, which keeps old names. */
const naming = (copy: string, ...names: readonly string[]): readonly string[] =>
  filesIn(copy)
    .filter((file) => !file.endsWith('/CHANGELOG.md'))
    .filter((file) => {
      const text = readFileSync(file, 'utf8');
      return names.some((name) => text.includes(name));
    })
    .map((file) => file.slice(copy.length + 1));

const addressOf = (repository: string): string => repository.replace(/^https:\/\//, '');

/** Changes version, image and repository in package.json, checks that `npm run docs` updates all files, and changes them back. */
export const isCarried = async (copy: string, next: string): Promise<void> => {
  const file = join(copy, 'package.json');
  const before = readFileSync(file, 'utf8');
  const old = readNames(copy);
  const given = { ...JSON.parse(before), version: next, image: 'quay.example/teams/watch/gauge' };
  given.repository.url = 'git+https://github.com/teams/gauge.git';
  writeFileSync(file, `${JSON.stringify(given, null, 2)}\n`);
  const stale = await docs(copy, '--check');
  expect(stale.code).toBe(1);
  expect(stale.stderr).toMatch(
    /^deploy\/kubernetes\/overlays\/fleet\/statefulset\.yaml:\d+: .*quay\.example\/teams\/watch\/gauge/m,
  );

  expect(await docs(copy)).toMatchObject({ code: 0 });
  const versions = [`ref=v${old.version}`, `v${old.version}/docs`, `newTag: ${old.version}`, `appVersion: ${old.version}`];
  expect(naming(copy, addressOf(old.repository), old.image, old.charts, ...versions)).toEqual([]);
  expect(await docs(copy, '--check')).toEqual({ code: 0, stderr: '' });
  const read = (path: string): string => readFileSync(join(copy, path), 'utf8');
  expect(read('charts/snowgauge/Chart.yaml')).toContain(`\nversion: ${next}\nappVersion: ${next}\n`);
  expect(read('docs/systemd.md')).toContain(`/usr/local snowgauge-${next}.tgz\n`);
  expect(read('charts/snowgauge/values.yaml')).toMatch(/^ {2}registry: quay\.example\n.*\n {2}repository: teams\/watch\/gauge$/m);
  expect(read('deploy/prometheus/snowgauge.rules.yaml')).toContain(`https://github.com/teams/gauge/blob/v${next}/docs/runbooks/`);
  expect(read('deploy/container/Dockerfile')).toContain('org.opencontainers.image.source="https://github.com/teams/gauge"');

  writeFileSync(file, before);
  expect(await docs(copy)).toMatchObject({ code: 0 });
  const differing = filesIn(copy).filter(
    (one) => readFileSync(one, 'utf8') !== readFileSync(join(root, one.slice(copy.length)), 'utf8'),
  );
  expect(differing).toEqual([]);
};
