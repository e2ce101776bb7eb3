// Which tests `npm test` runs, by its arguments.

import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { runsOf, withProjects } from '../../scripts/projects.mjs';
import config, { longest } from '../../vitest.config.ts';

test.each([
  { args: [], all: false, made: ['--project=suites'] },
  { args: ['test/metrics'], all: false, made: ['--project=suites', 'test/metrics'] },
  { args: [], all: true, made: ['--project=suites', '--project=long*'] },
  { args: ['--project=long'], all: false, made: ['--project=long*'] },
  { args: ['--project', 'long', 'long'], all: true, made: ['--project', 'long*', 'long'] },
  { args: ['--project=soak', 'test/fuzz'], all: false, made: ['--project=soak', 'test/fuzz'] },
])('$args, with all $all: $made', ({ args, all, made }) => {
  expect(withProjects(args, all)).toEqual(made);
});

const projects = (config.test?.projects ?? []).flatMap((one) => (typeof one === 'object' && 'test' in one ? [one.test] : []));

test('with other Nodes the same projects run in two runs, the cluster beside those Nodes', () => {
  const { first, besideOthers = [] } = runsOf([], true, true);
  const of = (runs: readonly string[]) => runs.map((run) => run.replace('--project=', ''));
  expect(of([...first, ...besideOthers]).toSorted()).toEqual(
    projects
      .map((one) => String(one?.name))
      .filter((name) => name !== 'soak')
      .toSorted(),
  );
  expect(besideOthers).toEqual(['--project=long-cluster']);
});

test.each([
  { when: 'there is no other Node', args: [], all: true, others: false },
  { when: 'nothing long runs', args: [], all: false, others: true },
  { when: 'something is chosen', args: ['test/metrics'], all: true, others: true },
])('where $when it is one run', ({ args, all, others }) => {
  expect(runsOf(args, all, others)).toEqual({ first: withProjects(args, all) });
});

test('what is said to take longest is there', () => {
  expect(longest.filter((file) => !existsSync(file))).toEqual([]);
});

test('each kind of file is of some project, and what wants the machine to itself is of one that has one worker', () => {
  const long = projects.filter((one) => String(one?.name).startsWith('long'));
  expect(projects.map((one) => one?.name)).toEqual(['suites', 'long-beside', 'long', 'long-cluster', 'soak']);
  // Each file is of exactly one: what one leaves out is what the others take.
  expect(long[0]?.exclude).toEqual([...(long[1]?.include ?? []), ...(long[2]?.include ?? [])]);
  for (const at of [1, 2]) expect(long[at]).toMatchObject({ maxWorkers: 1, sequence: { groupOrder: at } });
});
