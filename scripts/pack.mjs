// For `npm pack` and `npm publish`: `node pack.mjs prepare` runs before npm reads the package, and `node pack.mjs restore` after
// it. dist is self-contained, so the published package.json lists no dependencies: they would be installed again, with an install
// script, at ten times the size. They stay in the repository's package.json because they are part of the program.

import { copyFileSync, existsSync, readFileSync, renameSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ensureInstalled, root } from './lib.mjs';

const file = join(root, 'package.json');
const kept = join(root, 'dist', 'package.json.before-pack');

const restore = () => {
  if (existsSync(kept)) renameSync(kept, file);
};

const prepare = async () => {
  // Cleans up after a killed run.
  restore();
  await ensureInstalled();
  const { build } = await import('./build.mjs');
  // Removes the files of earlier builds.
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
