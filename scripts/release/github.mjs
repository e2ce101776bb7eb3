// The release page: every artifact, their checksums, the signature of the checksums, and the notes.

import { createHash } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writeNotes } from './notes.mjs';
import { alone, publish, say } from './step.mjs';

const sums = 'SHA256SUMS';
/** The signature of the checksums, which covers all artifacts. */
const bundle = `${sums}.sigstore.json`;

/** @param {import('./step.mjs').Step} step */
export const releaseOnGithub = async (step) => {
  await writeNotes(step);
  const files = await writeSums(step.out);
  const path = (/** @type {string} */ file) => join(step.out, file);
  await publish(step, 'cosign', ['sign-blob', '--yes', '--bundle', path(bundle), path(sums)]);
  const { version, repository } = step.names;
  await publish(step, 'gh', [
    ...['release', 'create', `v${version}`, '--verify-tag', '--repo', repository, '--title', `v${version}`],
    ...['--notes-file', path('notes.md'), ...(version.includes('-') ? ['--prerelease'] : [])],
    ...[...files, sums, bundle].map(path),
  ]);
};

/**
 * In the format of `sha256sum --check`.
 * @param {string} out
 * @returns {Promise<readonly string[]>} the files
 */
const writeSums = async (out) => {
  const files = (await readdir(out)).filter((file) => file !== 'notes.md' && !file.startsWith(sums)).sort();
  const lines = await Promise.all(
    files.map(
      async (file) =>
        `${createHash('sha256')
          .update(await readFile(join(out, file)))
          .digest('hex')}  ${file}\n`,
    ),
  );
  await writeFile(join(out, sums), lines.join(''));
  say(`wrote ${join(out, sums)} of ${files.length} files`);
  return files;
};

await alone(import.meta.url, releaseOnGithub);
