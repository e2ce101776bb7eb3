// Which tests `npm test` runs, by its arguments.

import { expect, test } from 'vitest';
import { withProjects } from '../../scripts/projects.mjs';
import config from '../../vitest.config.ts';

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

test('each kind of file is of some project, and what wants the machine to itself is of one that has one worker', () => {
  const projects = (config.test?.projects ?? []).flatMap((one) => (typeof one === 'object' && 'test' in one ? [one.test] : []));
  const long = projects.filter((one) => String(one?.name).startsWith('long'));
  expect(projects.map((one) => one?.name)).toEqual(['suites', 'long-beside', 'long', 'soak']);
  // Each file is of exactly one: what one leaves out is what the other takes.
  expect(long[0]?.exclude).toEqual(long[1]?.include);
  expect(long[1]).toMatchObject({ maxWorkers: 1, sequence: { groupOrder: 1 } });
});
