// `npm pack` and `npm publish`: node pack.mjs prepare, before npm reads what it packs, and node pack.mjs restore, after it.
//
// dist runs alone, so whoever installs the package needs none of the packages it is made of: left in package.json they would be installed
// a second time, with an install script, and come to ten times as much. There they stay, for they are what is in the program.

import { copyFileSync, existsSync, readFileSync, renameSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ensureInstalled, root } from './lib.mjs';

const file = join(root, 'package.json');
const kept = join(root, 'dist', 'package.json.before-pack');

const restore = () => {
  if (existsSync(kept)) renameSync(kept, file);
};

const prepare = async () => {
  // Of a run that was killed.
  restore();
  await ensureInstalled();
  const { build } = await import('./build.mjs');
  // Nothing of earlier builds.
  await build({ keepMs: 0 });
  const { atime, mtime } = statSync(file);
  copyFileSync(file, kept);
  utimesSync(kept, atime, mtime);
  const { dependencies: _, devDependencies: __, scripts: ___, ...published } = JSON.parse(readFileSync(file, 'utf8'));
  writeFileSync(`${file}.new`, `${JSON.stringify(published, null, 2)}\n`);
  renameSync(`${file}.new`, file);
};

if (process.argv[2] === 'restore') restore();
else await prepare();
