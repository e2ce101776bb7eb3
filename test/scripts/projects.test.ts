// The vitest runs of `npm test`, by its arguments.

import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { alone, cluster, pair, runsOf } from '../../scripts/projects.mjs';
import config, { longest } from '../../vitest.config.ts';

const without = (...files: readonly string[]) => files.map((file) => `--exclude=${file}`);
const asShipped = ['--project=long', '--no-file-parallelism', ...alone];
const inTurn = [
  ['--project=long', ...pair],
  ['--project=long', cluster],
];
const timed = [...pair, ...alone];

test.each([
  { args: [], all: false, first: [['--project=suites']] },
  { args: ['test/metrics'], all: false, first: [['--project=suites', 'test/metrics']] },
  {
    args: ['test/metrics'],
    all: true,
    first: [['--project=suites', '--project=long', '--no-file-parallelism', 'test/metrics']],
  },
  {
    args: ['--project', 'long', 'test/fuzz'],
    all: false,
    first: [['--no-file-parallelism', '--project', 'long', 'test/fuzz']],
  },
  { args: ['--project=soak', 'test/fuzz'], all: false, first: [['--project=soak', 'test/fuzz']] },
])('$args with all=$all gives the runs $first', ({ args, all, first }) => {
  expect(runsOf(args, all)).toEqual({ first });
});

test.each([
  { args: ['--project=long'], all: false, projects: ['--project=long'] },
  { args: ['--project', 'long'], all: true, projects: ['--project=long'] },
  { args: [], all: true, projects: ['--project=suites', '--project=long'] },
])(
  '$args with all=$all gives $projects, then the tests that measure time and the cluster by themselves',
  ({ args, all, projects }) => {
    expect(runsOf(args, all)).toEqual({ first: [[...projects, ...without(...timed, cluster)], ...inTurn], asShipped });
  },
);

test.each([...longest, ...timed, cluster])('%s exists', (file) => {
  expect(existsSync(file)).toBe(true);
});

test('there are three projects', () => {
  const projects = (config.test?.projects ?? []).flatMap((one) =>
    typeof one === 'object' && 'test' in one ? [one.test?.name] : [],
  );
  expect(projects).toEqual(['suites', 'long', 'soak']);
});
