// The names of the project: they stand in package.json, and `npm run docs` carries them everywhere else.

import { appendFileSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readNames, strangers } from '../../scripts/names.mjs';
import { root } from '../support/chart.ts';
import { copyTree } from '../support/tree.ts';
import { docs, isCarried } from './names-copy.ts';

const { name, image, version } = readNames();

test('the files of this tree have the names of package.json, and no others that are like them', () => {
  expect(strangers(root)).toEqual([]);
});

describe('in a copy of the tree', () => {
  let copy = '';
  beforeAll(() => {
    copy = copyTree();
  });
  afterAll(() => rmSync(copy, { recursive: true }));

  // Of a release candidate the names of files are told from the version that they go on behind.
  test('a change of package.json, to 9.8.7-rc.1, is carried everywhere by `npm run docs`, and back again', () =>
    isCarried(copy, '9.8.7-rc.1'));

  test('another name fails --check, with file and line', async () => {
    const rows = [
      { file: 'docs/container.md', line: `docker pull ghcr.io/somebody/${name}`, says: `ghcr.io/somebody/${name} is neither` },
      {
        file: 'deploy/compose.yaml',
        line: `# https://github.com/else/${name}/issues`,
        says: `github.com/else/${name} is neither`,
      },
      { file: 'scripts/lib.mjs', line: `// ${image}`, says: `${image} is written out` },
      {
        file: 'README.md',
        line: `${image}:0.0.1`,
        says: `package.json says ${image}:${version}`,
      },
    ].map((row) => ({ ...row, at: readFileSync(join(copy, row.file), 'utf8').split('\n').length }));
    for (const { file, line } of rows) appendFileSync(join(copy, file), `${line}\n`);
    const { code, stderr } = await docs(copy, '--check');
    expect(code).toBe(1);
    for (const { file, at, says } of rows) expect(stderr).toContain(`${file}:${at}: ${says}`);
  });
});
