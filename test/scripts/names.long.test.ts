// The names of the project in another version: names.test.ts has that of a release candidate.

import { rmSync } from 'node:fs';
import { onTestFinished, test } from 'vitest';
import { copyTree } from '../support/tree.ts';
import { isCarried } from './names-copy.ts';

test('a change of package.json, to 9.8.7, is carried everywhere by `npm run docs`, and back again', async () => {
  const copy = copyTree();
  onTestFinished(() => rmSync(copy, { recursive: true }));
  await isCarried(copy, '9.8.7');
});
