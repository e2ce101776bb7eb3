// Which runs of vitest `npm test` is made of, by its arguments.

import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { alone, cluster, pair, runsOf } from '../../scripts/projects.mjs';
import config, { longest } from '../../vitest.config.ts';

const without = (...files: readonly string[]) => files.map((file) => `--exclude=${file}`);
const afterwards = ['--project=long', ...pair];
const asShipped = ['--project=long', '--no-file-parallelism', ...alone];
const timed = [...pair, ...alone];

test.each([
  { args: [], all: false, others: false, first: [['--project=suites']] },
  { args: [], all: false, others: true, first: [['--project=suites']] },
  { args: ['test/metrics'], all: false, others: false, first: [['--project=suites', 'test/metrics']] },
  {
    args: ['test/metrics'],
    all: true,
    others: true,
    first: [['--project=suites', '--project=long', '--no-file-parallelism', 'test/metrics']],
  },
  {
    args: ['--project', 'long', 'test/fuzz'],
    all: false,
    others: false,
    first: [['--no-file-parallelism', '--project', 'long', 'test/fuzz']],
  },
  { args: ['--project=soak', 'test/fuzz'], all: false, others: false, first: [['--project=soak', 'test/fuzz']] },
])('$args, with all $all, and other Nodes $others: $first', ({ args, all, others, first }) => {
  expect(runsOf(args, all, others)).toEqual({ first });
});

test.each([
  { args: ['--project=long'], all: false, others: false, projects: ['--project=long'] },
  { args: ['--project', 'long'], all: true, others: true, projects: ['--project=long'] },
  { args: [], all: true, others: false, projects: ['--project=suites', '--project=long'] },
])(
  '$args, with all $all, and other Nodes $others: $projects, and what judges time by itself',
  ({ args, all, others, projects }) => {
    expect(runsOf(args, all, others)).toEqual({ first: [[...projects, ...without(...timed)], afterwards], asShipped });
  },
);

test('with other Nodes the cluster has its turn beside them', () => {
  expect(runsOf([], true, true)).toEqual({
    first: [['--project=suites', '--project=long', ...without(...timed, cluster)], afterwards],
    asShipped,
    besideOthers: ['--project=long', cluster],
  });
});

test.each([...longest, ...timed, cluster])('%s is there', (file) => {
  expect(existsSync(file)).toBe(true);
});

test('there are three projects', () => {
  const projects = (config.test?.projects ?? []).flatMap((one) =>
    typeof one === 'object' && 'test' in one ? [one.test?.name] : [],
  );
  expect(projects).toEqual(['suites', 'long', 'soak']);
});
