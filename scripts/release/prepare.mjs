// npm run release:prepare -- 1.2.3: gives the version to package.json and to everything that follows from it, and makes a section of
// what is unreleased in the changelog. The commit and the tag are the maintainer's.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ensureInstalled, node, root } from '../lib.mjs';
import { released } from './changelog.mjs';
import { capture } from './step.mjs';

const version = process.argv[2] ?? '';
if (!/^\d+\.\d+\.\d+(?:-[0-9A-Za-z]+(?:\.[0-9A-Za-z]+)*)?$/.test(version)) {
  console.error('release: the version is needed, as 1.2.3');
  process.exit(1);
}
await ensureInstalled();
const changelog = join(root, 'CHANGELOG.md');
// Steps that may fail come first.
const text = released(readFileSync(changelog, 'utf8'), version, new Date().toISOString().slice(0, 10));
await capture('npm', ['version', version, '--no-git-tag-version', '--allow-same-version', '--ignore-scripts']);
writeFileSync(changelog, text);
process.exitCode = await node([join(root, 'scripts/docs.mjs'), '--release', version]);
