// Tools that some suites need and not every machine has. A suite that lacks one is skipped by name, never in silence; where all
// must run (SNOWGAUGE_TEST_ALL=1) a missing tool is a failure.

import { accessSync, constants } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { describe, test } from 'vitest';

/** What `.ci/tools` builds is kept here. */
export const toolCache = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'snowgauge');

/** Absolute path of a program on PATH or among the tools that `.ci/tools` built, or undefined. */
export const toolPath = (name: string): string | undefined =>
  [...(process.env.PATH ?? '').split(delimiter), join(toolCache, 'bin')].map((folder) => join(folder, name)).find(isExecutable);

const isExecutable = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
};

/** As `describe`, with the tools' paths in the order of their names; skipped, loudly, where one is missing. */
export const describeWith = (tools: readonly string[], title: string, suite: (...paths: readonly string[]) => void): void => {
  const paths = tools.map(toolPath);
  const missing = tools.filter((_, at) => paths[at] === undefined);
  const obstacle = missing.length === 0 ? undefined : `not installed: ${missing.join(', ')}`;
  describeUnless(obstacle, title, () => suite(...paths.map((path) => path ?? '')));
};

/** The one obstacle that no installing takes away. scripts/tally.mjs lets a skip of that name pass. */
export const forced = 'kernel refuses';

/** As `describe`, where there is no obstacle on this machine; else skipped, loudly, for its sake. */
export const describeUnless = (
  obstacle: string | undefined,
  title: string,
  suite: () => void,
  options: { readonly concurrent?: true } = {},
): void => {
  if (obstacle === undefined) {
    describe(title, options, suite);
  } else if (process.env.SNOWGAUGE_TEST_ALL === '1' && !obstacle.includes(forced)) {
    test(title, () => {
      throw new Error(`${obstacle} (SNOWGAUGE_TEST_ALL=1 asks for every suite)`);
    });
  } else {
    console.warn(`SKIPPED (${obstacle}): ${title}`);
    describe.skip(`${title} (${obstacle})`, () => {
      test('needs what this machine has not', () => undefined);
    });
  }
};
