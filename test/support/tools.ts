// Tools that some suites need and not every machine has. A suite without its tool is reported as skipped; with
// SNOWGAUGE_TEST_ALL=1 a missing tool is a failure.

import { accessSync, constants } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { describe, test } from 'vitest';

/** The output folder of `.ci/tools`. */
export const toolCache = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'snowgauge');

/** Absolute path of a program on the PATH or in the tool folder, or undefined. */
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

/** Like `describe`, with the paths of the tools in order; reported as skipped if one is missing. */
export const describeWith = (tools: readonly string[], title: string, suite: (...paths: readonly string[]) => void): void => {
  const paths = tools.map(toolPath);
  const missing = tools.filter((_, at) => paths[at] === undefined);
  const obstacle = missing.length === 0 ? undefined : `not installed: ${missing.join(', ')}`;
  describeUnless(obstacle, title, () => suite(...paths.map((path) => path ?? '')));
};

/** The obstacle that no installation removes. scripts/tally.mjs accepts a skip with this text. */
export const forced = 'kernel refuses';

/** Like `describe`; reported as skipped if there is an obstacle. */
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
