// A copy of this project for tests that change its files.

import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, statSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from './chart.ts';

/** All tracked and new files, with the installed packages; the caller removes it. */
export const copyTree = (): string => {
  const copy = mkdtempSync(join(tmpdir(), 'snowgauge-tree-'));
  const list = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
  });
  for (const file of list.split('\0')) {
    if (statSync(join(root, file), { throwIfNoEntry: false })?.isFile()) cpSync(join(root, file), join(copy, file));
  }
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  return copy;
};
