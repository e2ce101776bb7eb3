// Bundles src/main.ts to dist/snowgauge.js, with chunks that commands load on demand in dist/lib, each with its source map. dist
// runs without node_modules; lib also has the native addon of classic-level. Libraries are bundled as published.

import { chmod, cp, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { browserText, textInputs } from './browser.mjs';
import { licencesOf } from './licences.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

// Bundled CommonJS packages need `require`, and the binding of classic-level finds its prebuilds by `__dirname`.
const require = `import { createRequire as __createRequire } from 'node:module';
import { dirname as __dirnameOf } from 'node:path';
import { fileURLToPath as __pathOf } from 'node:url';
const require = __createRequire(import.meta.url);
const __filename = __pathOf(import.meta.url);
const __dirname = __dirnameOf(__filename);`;

const nodeHttp = join(root, 'scripts/node-http.cjs');

/**
 * @param {string} outdir
 * @returns {Promise<import('esbuild').BuildOptions & { metafile: true }>}
 */
export const bundleOptions = async (outdir) => {
  const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  return {
    entryPoints: [{ in: join(root, 'src/main.ts'), out: 'snowgauge' }],
    outdir,
    chunkNames: 'lib/[name]-[hash]',
    bundle: true,
    splitting: true,
    platform: 'node',
    target: 'node20.19',
    format: 'esm',
    alias: { http: nodeHttp, 'node:http': nodeHttp },
    sourcemap: 'linked',
    // V8 keeps the source text in memory. Names and lines are kept, so that stack traces are readable without the source map.
    minifySyntax: true,
    minifyWhitespace: true,
    lineLimit: 160,
    legalComments: 'none',
    banner: { js: require },
    define: { __VERSION__: JSON.stringify(version) },
    plugins: [browserText],
    metafile: true,
    absWorkingDir: root,
    logLevel: 'warning',
  };
};

/**
 * @param {{ outdir?: string, keepMs?: number }} [options] keepMs: how long files of earlier builds are kept
 * @returns {Promise<string>} the program's path
 */
export const build = async ({ outdir = join(root, 'dist'), keepMs = 3_600_000 } = {}) => {
  const esbuild = await import('esbuild');
  const fresh = join(outdir, `.build-${process.pid}`);
  const lib = join(outdir, 'lib');
  const { metafile } = await esbuild.build(await bundleOptions(fresh));
  const files = await readdir(join(fresh, 'lib'));
  for (const file of ['snowgauge.js', ...files.map((name) => join('lib', name))]) {
    if (file.endsWith('.js')) await checkAscii(join(fresh, file));
  }
  await mkdir(lib, { recursive: true });
  await copyAddon(lib);
  await writeFile(
    join(outdir, 'THIRD-PARTY-LICENSES.txt'),
    await licencesOf([...Object.keys(metafile.inputs), ...textInputs], root),
  );
  for (const name of files) await rename(join(fresh, 'lib', name), join(lib, name));
  // Last and atomically, because somebody may start it at this moment.
  const out = join(outdir, 'snowgauge.js');
  await chmod(join(fresh, 'snowgauge.js'), 0o755);
  await rename(join(fresh, 'snowgauge.js.map'), `${out}.map`);
  await rename(join(fresh, 'snowgauge.js'), out);
  await rm(fresh, { recursive: true });
  await removeOld(lib, files, keepMs);
  return out;
};

/**
 * File names contain a content hash, so builds do not overwrite each other. Older files are kept for a while, because a running
 * process may still load them.
 * @param {string} lib
 * @param {readonly string[]} files of this build
 * @param {number} keepMs
 */
const removeOld = async (lib, files, keepMs) => {
  for (const name of await readdir(lib)) {
    if (files.includes(name) || name === 'prebuilds') continue;
    const { mtimeMs } = await stat(join(lib, name));
    if (Date.now() - mtimeMs > keepMs) await rm(join(lib, name), { force: true });
  }
};

/**
 * With one character outside of Latin-1, V8 stores two bytes per character of the source. esbuild escapes all except those in
 * regular expressions and tagged templates.
 * @param {string} file
 */
const checkAscii = async (file) => {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: ASCII begins with them
  const place = /^.*?(.{0,40}[^\x00-\x7f].{0,20})/m.exec(await readFile(file, 'utf8'))?.[1];
  if (place !== undefined) throw new Error(`${file} is not ASCII (write \\u00b5 or an entity instead): ${place}`);
};

/**
 * node-gyp-build looks for prebuilds/<platform>-<arch>/ beside the importing file, which is in lib. Existing addons are not
 * overwritten, because a running process may have them mapped.
 * @param {string} lib
 */
const copyAddon = (lib) =>
  cp(join(root, 'node_modules/classic-level/prebuilds'), join(lib, 'prebuilds'), {
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
