// The workflows of GitHub Actions are valid, have minimal permissions, and run only scripts of this repository.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import * as z from 'zod/mini';
import { execute, root } from '../support/chart.ts';
import { describeWith } from '../support/tools.ts';

const folder = join(root, '.github/workflows');
const files = readdirSync(folder);
const text = (file: string): string => readFileSync(join(folder, file), 'utf8');

const step = z.object({
  uses: z.optional(z.string()),
  run: z.optional(z.string()),
  with: z.optional(z.record(z.string(), z.unknown())),
});
const job = z.object({
  permissions: z.record(z.string(), z.string()),
  'timeout-minutes': z.optional(z.number()),
  needs: z.optional(z.string()),
  uses: z.optional(z.string()),
  steps: z.optional(z.array(step)),
});
const workflow = z.object({
  permissions: z.record(z.string(), z.string()),
  concurrency: z.unknown(),
  jobs: z.record(z.string(), job),
});
const read = (file: string) => workflow.parse(parse(text(file), { merge: true }));

describeWith(['actionlint'], 'actionlint', (actionlint = '') => {
  test('has no findings', async () => {
    // Without other linters, whose findings would depend on the machine.
    const args = ['-no-color', '-shellcheck=', '-pyflakes=', ...files.map((file) => join(folder, file))];
    expect(await execute(actionlint, args)).toEqual({ code: 0, stdout: '', stderr: '' });
  });
});

describe.each(files)('%s', (file) => {
  const { permissions, concurrency, jobs } = read(file);

  test('pins actions by commit hash, with the version in a comment', () => {
    const uses = text(file)
      .split('\n')
      .filter((line) => /^\s*(?:- )?uses: (?!\.\/)/.test(line));
    expect(uses.length).toBeGreaterThan(0);
    for (const line of uses) expect(line).toMatch(/uses: [\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
  });

  test('has no default permissions, and a timeout for each job', () => {
    expect(permissions).toEqual({});
    expect(concurrency).toBeDefined();
    for (const { uses, 'timeout-minutes': minutes } of Object.values(jobs))
      if (uses === undefined) expect(minutes).toBeGreaterThan(0);
  });

  test('runs only scripts of this repository', () => {
    const runs = Object.values(jobs).flatMap(({ steps = [] }) => steps.flatMap(({ run }) => run ?? []));
    for (const run of runs) {
      const script = /^(?:node (scripts\/release\/[a-z]+\.mjs)(?: --tag "\$GITHUB_REF_NAME")?|bash (\.ci\/run))$/.exec(run);
      expect(existsSync(join(root, script?.[1] ?? script?.[2] ?? run)), run).toBe(true);
    }
  });

  test('checks out without persisted credentials', () => {
    const checkouts = Object.values(jobs)
      .flatMap(({ steps = [] }) => steps)
      .filter(({ uses }) => uses?.startsWith('actions/checkout@'));
    for (const one of checkouts) expect(one.with).toMatchObject({ 'persist-credentials': false });
  });
});

test('each job of a release has only the permissions of its step, and all follow the tests', () => {
  const { jobs } = read('release.yaml');
  const rights = Object.fromEntries(Object.entries(jobs).map(([name, { permissions }]) => [name, permissions]));
  expect(rights).toEqual({
    tests: { contents: 'read' },
    pack: { contents: 'read' },
    image: { contents: 'read', packages: 'write', 'id-token': 'write' },
    chart: { contents: 'read', packages: 'write', 'id-token': 'write' },
    npm: { contents: 'read', 'id-token': 'write' },
    page: { contents: 'write', 'id-token': 'write' },
  });
  const order = Object.entries(jobs).map(([name, { needs }]) => [needs, name]);
  expect(order).toEqual([
    [undefined, 'tests'],
    ['tests', 'pack'],
    ['pack', 'image'],
    ['image', 'chart'],
    ['chart', 'npm'],
    ['npm', 'page'],
  ]);
});

test('the release workflow has every step of `npm run release`', () => {
  const steps = Array.from(
    readFileSync(join(root, 'scripts/release.mjs'), 'utf8').matchAll(/from '\.\/(release\/\w+\.mjs)'/g),
    ([, name]) => name,
  );
  const called = text('release.yaml');
  expect(steps.filter((name) => name !== 'release/step.mjs' && !called.includes(`node scripts/${name} --tag`))).toEqual([]);
});

test('the release page gets the chart of the registry, not the packed one', () => {
  const { chart, page } = read('release.yaml').jobs;
  const upload = chart?.steps?.find(({ uses }) => uses?.startsWith('actions/upload-artifact@'));
  expect(upload?.with).toMatchObject({ name: 'chart', path: 'release/chart.json\nrelease/*-chart-*.tgz\n' });
  const downloads = page?.steps?.filter(({ uses }) => uses?.startsWith('actions/download-artifact@')) ?? [];
  // The order within one download of all artifacts is undefined.
  expect(downloads.map((one) => one.with?.name ?? one.with?.pattern)).toEqual(['packed', '{image,chart}']);
});

test('every step with --help prints its purpose and usage', async () => {
  const names = [...new Set(text('release.yaml').match(/scripts\/release\/[a-z]+\.mjs(?= --tag)/g))];
  expect(names.length).toBeGreaterThan(0);
  const answers = await Promise.all(names.map((name) => execute(process.execPath, [join(root, name), '--help'])));
  for (const [at, { code, stdout }] of answers.entries()) {
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/--dry-run.*\n\n[A-Z].*\.\n/s) });
    expect(stdout).toContain(`node ${names[at]} `);
    expect(stdout).not.toContain('//');
  }
});
