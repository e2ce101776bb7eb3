// Bundles src/main.ts into one file, dist/snowgauge.js, with its source map. It runs alone; beside it stand the native
// addon of classic-level (only commands that keep an index on disk load it) and the licences of what is inside.

import { chmod, cp, mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
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
 * What libraries bring along and nothing here uses. Commands are loaded when asked for, and esbuild cannot shake what is
 * loaded late: without this, fifty translations of zod's messages would be in the file, and in memory.
 * @type {import('esbuild').Plugin}
 */
const leaner = {
  name: 'leaner',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]zod[\\/]v4[\\/]locales[\\/]index\.js$/ }, () => ({
      contents: "export { default as en } from './en.js';",
    }));
  },
};

/**
 * From Node 22 on, an import of node:http reads each of its exports, and one of them (WebSocket) loads all of undici: 8 MB, and in
 * V8's lite mode, which has no WebAssembly, the end of the process. A require reads none.
 * @type {import('esbuild').Plugin}
 */
const httpByRequire = {
  name: 'http by require',
  setup({ onLoad, onResolve }) {
    onResolve({ filter: /^(node:)?http$/ }, ({ kind }) =>
      kind === 'require-call' ? undefined : { path: 'http', namespace: 'by-require' },
    );
    onLoad({ filter: /^/, namespace: 'by-require' }, () => ({ contents: "module.exports = require('node:http');" }));
  },
};

/**
 * @param {{ entry?: string, outdir?: string, minify?: boolean }} [options]
 * @returns {Promise<string>} the bundle's path
 */
export const build = async ({ entry = join(root, 'src/main.ts'), outdir = join(root, 'dist'), minify = false } = {}) => {
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
    // Identifiers stay: a stack trace must be readable without the map.
    minifySyntax: minify,
    minifyWhitespace: minify,
    legalComments: 'none',
    banner: { js: banner },
    define: { __VERSION__: JSON.stringify(version) },
    plugins: [leaner, httpByRequire],
    metafile: true,
    absWorkingDir: root,
    logLevel: 'warning',
  });
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
