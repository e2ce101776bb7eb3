// The names of the project are in package.json, and `npm run docs` writes them into all other files.

import { appendFileSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readNames, strangers } from '../../scripts/names.mjs';
import { root } from '../support/chart.ts';
import { copyTree } from '../support/tree.ts';
import { docs, isCarried } from './names-copy.ts';

const { name, image, version } = readNames();

test('the files of this tree contain the names of package.json and no similar ones', () => {
  expect(strangers(root)).toEqual([]);
});

describe('in a copy of the tree', () => {
  let copy = '';
  beforeAll(() => {
    copy = copyTree();
  });
  afterAll(() => rmSync(copy, { recursive: true }));

  // With a release candidate, because a file name may continue after the version.
  test('`npm run docs` updates all files after a change of package.json to 9.8.7-rc.1, and reverts them', () =>
    isCarried(copy, '9.8.7-rc.1'));

  test('--check fails for other names, with file and line', async () => {
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
