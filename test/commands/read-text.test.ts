// Files of the operator's: as text, up to a bound.

import { mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { readText } from '../../src/commands/read-text.ts';

test.each([
  { size: 16 * 2 ** 20, kind: 'ok' },
  { size: 16 * 2 ** 20 + 1, kind: 'failed' },
])('a file of $size bytes is $kind', async ({ size, kind }) => {
  const folder = await mkdtemp(join(tmpdir(), 'snowgauge-text-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, 'a.yaml');
  await writeFile(file, '');
  await truncate(file, size);
  expect((await readText(file)).kind).toBe(kind);
});
