// Bundles src/main.ts: dist/snowgauge.js, and beside it in dist/lib what its commands load when they need it, each file with its
// source map. dist runs alone; lib holds the native addon of classic-level too. Libraries go in as they are published.

import { chmod, cp, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { browserText, textInputs } from './browser.mjs';
import { licencesOf } from './licences.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

// Bundled CommonJS packages ask for `require`, and classic-level's binding finds its prebuilds from `__dirname`.
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
    // V8 keeps the text for as long as the program runs. Names and lines stay: a stack trace must be readable without the map.
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
 * @param {{ outdir?: string, keepMs?: number }} [options] how long files of earlier builds stay
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
  // Last, and whole or not at all: somebody may be starting it.
  const out = join(outdir, 'snowgauge.js');
  await chmod(join(fresh, 'snowgauge.js'), 0o755);
  await rename(join(fresh, 'snowgauge.js.map'), `${out}.map`);
  await rename(join(fresh, 'snowgauge.js'), out);
  await rm(fresh, { recursive: true });
  await removeOld(lib, files, keepMs);
  return out;
};

/**
 * Names hold a hash of the content, so builds do not overwrite each other's files. What an earlier build left stays for a while: a
 * process may be running that has yet to load it.
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
 * One character outside Latin-1, and V8 keeps two bytes for each of its text. esbuild escapes all but those in patterns and in
 * tagged templates.
 * @param {string} file
 */
const checkAscii = async (file) => {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: ASCII begins with them
  const place = /^.*?(.{0,40}[^\x00-\x7f].{0,20})/m.exec(await readFile(file, 'utf8'))?.[1];
  if (place !== undefined) throw new Error(`${file} is not ASCII (write \\u00b5 or an entity instead): ${place}`);
};

/**
 * node-gyp-build looks for prebuilds/<platform>-<arch>/ beside the file that asks, which is one in lib.
 * A running process may have an addon mapped: what is there already is not written over.
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
