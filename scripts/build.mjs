// Bundles src/main.ts into one file, dist/snowgauge.js, with its source map. It runs alone; beside it stand the native
// addon of classic-level (only commands that keep an index on disk load it) and the licences of what is inside.

import { chmod, cp, mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { lean } from './lean.mjs';
import { licencesOf } from './licences.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

// Bundled CommonJS packages ask for `require`, and classic-level's binding finds its prebuilds from `__dirname`.
const banner = `#!/usr/bin/env node
import { createRequire as __createRequire } from 'node:module';
import { dirname as __dirnameOf } from 'node:path';
import { fileURLToPath as __pathOf } from 'node:url';
const require = __createRequire(import.meta.url);
const __filename = __pathOf(import.meta.url);
const __dirname = __dirnameOf(__filename);`;

/**
 * @param {{ entry?: string, outdir?: string }} [options]
 * @returns {Promise<string>} the bundle's path
 */
export const build = async ({ entry = join(root, 'src/main.ts'), outdir = join(root, 'dist') } = {}) => {
  const esbuild = await import('esbuild');
  const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  const out = join(outdir, 'snowgauge.js');
  const fresh = join(outdir, `.build-${process.pid}`, 'snowgauge.js');
  const { metafile } = await esbuild.build({
    entryPoints: [entry],
    outfile: fresh,
    bundle: true,
    platform: 'node',
    target: 'node20.19',
    format: 'esm',
    sourcemap: 'linked',
    // V8 keeps the text for as long as the program runs. Names and lines stay: a stack trace must be readable without the map.
    minifySyntax: true,
    minifyWhitespace: true,
    lineLimit: 160,
    legalComments: 'none',
    banner: { js: banner },
    define: { __VERSION__: JSON.stringify(version) },
    plugins: [lean],
    metafile: true,
    absWorkingDir: root,
    logLevel: 'warning',
  });
  await checkAscii(fresh);
  await chmod(fresh, 0o755);
  await mkdir(outdir, { recursive: true });
  await copyAddon(outdir);
  await writeFile(join(outdir, 'THIRD-PARTY-LICENSES.txt'), await licencesOf(metafile, root));
  await rename(`${fresh}.map`, `${out}.map`);
  await rename(fresh, out); // whole or not at all: somebody may be starting it
  await rm(dirname(fresh), { recursive: true });
  return out;
};

/**
 * One character outside Latin-1, and V8 keeps two bytes for each of the file. esbuild escapes all but those in patterns and in
 * tagged templates.
 * @param {string} file
 */
const checkAscii = async (file) => {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: ASCII begins with them
  const place = /^.*?(.{0,40}[^\x00-\x7f].{0,20})/m.exec(await readFile(file, 'utf8'))?.[1];
  if (place !== undefined) throw new Error(`the bundle is not ASCII (write \\u00b5 or an entity instead): ${place}`);
};

/**
 * node-gyp-build looks for prebuilds/<platform>-<arch>/ beside the file that asks, and that is the bundle.
 * A running process may have an addon mapped: what is there already is not written over.
 * @param {string} outdir
 */
const copyAddon = (outdir) =>
  cp(join(root, 'node_modules/classic-level/prebuilds'), join(outdir, 'prebuilds'), {
    recursive: true,
    force: false,
    filter: (source) => !source.includes('android'),
  });

if (resolve(process.argv[1] ?? '') === fileURLToPath(import.meta.url)) {
  const start = performance.now();
  const out = await build().catch((error) => {
    if (!('errors' in error)) throw error;
    process.exit(1); // esbuild has said what is wrong, and where
  });
  const { size } = await stat(out);
  console.error(`snowgauge: built ${out} (${(size / 1024).toFixed(0)} KiB) in ${(performance.now() - start).toFixed(0)} ms`);
}
