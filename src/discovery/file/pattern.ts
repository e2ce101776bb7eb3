// The names of the files of a source: the last part of a path may have asterisks.

import { basename, dirname, normalize } from 'node:path';

export const isFilePattern = (path: string): boolean => basename(path).includes('*');

export const matchesFilePattern = (pattern: string, file: string): boolean => {
  const parts = basename(pattern)
    .split('*')
    .map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'));
  // The names of files come from `join`, which normalises them: `/etc/lists//*.json` has the file `/etc/lists/a.json`.
  return dirname(normalize(pattern)) === dirname(file) && new RegExp(`^${parts.join('[^/]*')}$`).test(basename(file));
};
