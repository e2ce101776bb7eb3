// npm run bench [-- NAME ...]: runs bench/*.ts one after the other, then prints a table of the results and their targets. The
// last stdout line of a bench is its result, a JSON array of Measure.

import { readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { browserText } from './browser.mjs';
import { ensureBuilt, ensureInstalled, node, root } from './lib.mjs';

/** @typedef {{ name: string, ratio: number | null, aim: number, atLeast: boolean, unit?: string }} Measure */

/**
 * @param {readonly string[]} names
 * @returns {Promise<string>} the folder with NAME.js for each bench
 */
const bundleBenches = async (names) => {
  const { build } = await import('esbuild');
  const outdir = join(root, 'dist', 'bench');
  await build({
    entryPoints: names.map((name) => join(root, 'bench', `${name}.ts`)),
    outdir,
    bundle: true,
    platform: 'node',
    target: 'node20.19',
    format: 'esm',
    packages: 'external',
    sourcemap: 'inline',
    plugins: [browserText],
    logLevel: 'warning',
  });
  return outdir;
};

/**
 * @param {string} file
 * @param {readonly string[]} args
 * @returns {Promise<readonly Measure[] | undefined>} undefined if the bench failed
 */
const runBench = async (file, args) => {
  let text = '';
  const onStdout = (/** @type {string} */ chunk) => {
    text += chunk;
    process.stdout.write(chunk);
  };
  const code = await node(['--enable-source-maps', '--expose-gc', file, ...args], { onStdout });
  try {
    return code === 0 ? JSON.parse(text.trimEnd().split('\n').at(-1) ?? '') : undefined;
  } catch {
    return undefined;
  }
};

/**
 * A ratio of NaN, from a run that was too short, is null in JSON.
 *
 * @param {Measure} measure
 */
const row = ({ name, ratio, aim, atLeast, unit = '' }) => {
  const met = ratio !== null && (atLeast ? ratio >= aim : ratio <= aim);
  const measured = ratio === null ? 'nothing: give it more seconds' : `${Number(ratio.toPrecision(4))} ${unit}`;
  return { name, measured, aim: `${atLeast ? '>=' : '<='} ${aim} ${unit}`, met };
};

await ensureInstalled();
await ensureBuilt();
// Arguments from the first dash on are passed to the benches.
const args = process.argv.slice(2);
const dash = args.findIndex((arg) => arg.startsWith('-'));
const [wanted, passed] = dash < 0 ? [args, []] : [args.slice(0, dash), args.slice(dash)];
const known = (await readdir(join(root, 'bench'))).filter((file) => file.endsWith('.ts')).map((file) => basename(file, '.ts'));
const unknown = wanted.filter((name) => !known.includes(name));
if (unknown.length > 0) {
  console.error(`no such bench: ${unknown.join(', ')}. There are: ${known.join(', ')}`);
  process.exit(2);
}
const names = wanted.length > 0 ? wanted : known;
const folder = await bundleBenches(names);
const measures = [];
for (const name of names) {
  console.log(`\n# ${name}`);
  const measured = await runBench(join(folder, `${name}.js`), passed);
  for (const one of measured ?? []) measures.push(one);
  if (!measured) {
    console.error(`bench ${name} failed`);
    process.exitCode = 1;
  }
}
console.log('\n# Summary');
console.table(measures.map(row));
