// npm run docs: writes the generated documents, the rules of deploy/prometheus, the dashboards of deploy/grafana and their copies
// in the chart from their tables, and the names of package.json into every file that contains them. --check only compares.
// --release 1.2.3 also saves the list of metrics, with which the next release is compared.

import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ensureInstalled, root } from './lib.mjs';
import { filesWithNames, namesModule, readNames, renaming, strangers } from './names.mjs';

const contents = `
export { metricsContract, metricsDoc } from './scripts/docs/metrics.ts';
export { configurationDoc } from './scripts/docs/configuration.ts';
export { withTruthTable } from './test/conditions/truth-table.ts';
export { alertsDoc, runbookIndex } from './scripts/docs/alerts.ts';
export { plainFile } from './src/rules/file.ts';
export { alertmanagerFile } from './src/rules/alertmanager.ts';
export { defaults } from './src/rules/settings.ts';
export { boardJson } from './dashboards/render.ts';
export { boards } from './dashboards/boards.ts';
export { dashboardsDoc } from './dashboards/doc.ts';
export { drillsDoc } from './scripts/docs/drills.ts';
export { composeFiles } from './scripts/docs/compose.ts';
export { demoScenario } from './src/commands/demo-scenario.ts';
export { chartFiles } from './scripts/chart/files.ts';
`;

/**
 * @param {string | undefined} release
 * @returns {Promise<Readonly<Record<string, string>>>} file -> its text
 */
const generate = async (release) => {
  const { build } = await import('esbuild');
  const outfile = join(root, 'dist', `.docs-${process.pid}.mjs`);
  await build({
    stdin: { contents, resolveDir: root, loader: 'ts' },
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    logLevel: 'warning',
  });
  try {
    const made = await import(pathToFileURL(outfile).href);
    const kept = { release, families: made.metricsContract() };
    const files = {
      ...(release !== undefined && { 'test/fixtures/metrics-of-last-release.json': `${JSON.stringify(kept, null, 2)}\n` }),
      'docs/metrics.md': made.metricsDoc(),
      'docs/configuration.md': made.configurationDoc(),
      'docs/probes.md': made.withTruthTable(await read(join(root, 'docs', 'probes.md'))),
      'docs/alerts.md': made.alertsDoc(),
      'docs/runbooks/README.md': made.runbookIndex(),
      'deploy/prometheus/snowgauge.rules.yaml': made.plainFile(made.defaults, 'main'),
      'deploy/prometheus/snowgauge-node-metrics.rules.yaml': made.plainFile(made.defaults, 'node-metrics'),
      'deploy/prometheus/alertmanager.yml': made.alertmanagerFile(made.defaults),
      'docs/dashboards.md': made.dashboardsDoc(),
      'docs/drills.md': made.drillsDoc(),
      'deploy/compose/scenario.yaml': made.demoScenario,
      ...made.composeFiles(),
      ...Object.fromEntries(
        Object.entries(made.boards).map(([name, board]) => [`deploy/grafana/${name}.json`, made.boardJson(board)]),
      ),
    };
    return { ...files, ...made.chartFiles(files) };
  } finally {
    await rm(outfile);
  }
};

/** @param {string} file */
const read = (file) => readFile(file, 'utf8').catch(() => '');

/**
 * @param {string} name
 * @param {string} text
 */
const put = async (name, text) => {
  const file = join(root, name);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
  console.error(`wrote ${name}`);
};

await ensureInstalled();
const check = process.argv.includes('--check');
const releaseAt = process.argv.indexOf('--release');
const release = releaseAt < 0 ? undefined : process.argv[releaseAt + 1];

/** @param {string} text */
const fail = (text) => {
  console.error(text);
  process.exitCode = 1;
};

// src first, because the tables read names from it; the chart last, because its old names are needed for the replacement.
const renamed = renaming(root);
const module = namesModule(readNames(root));
if ((await read(join(root, 'src/names.ts'))) !== module) {
  if (check) fail('src/names.ts is not what package.json says: run `npm run docs`');
  else await put('src/names.ts', module);
}
for (const [name, made] of Object.entries(await generate(release))) {
  const text = renamed(name, made);
  if ((await read(join(root, name))) === text) continue;
  if (check) fail(`${name} is not what the tables in src say: run \`npm run docs\``);
  else await put(name, text);
}
const written = filesWithNames(root).toSorted(
  (one, other) => Number(one.endsWith('Chart.yaml')) - Number(other.endsWith('Chart.yaml')),
);
for (const name of written) {
  const text = await read(join(root, name));
  const wanted = renamed(name, text);
  if (wanted === text) continue;
  if (!check) {
    await put(name, wanted);
    continue;
  }
  const lines = wanted.split('\n');
  for (const [at, line] of text.split('\n').entries()) {
    if (line !== lines[at]) fail(`${name}:${at + 1}: package.json says ${lines[at]?.trim()}: run \`npm run docs\``);
  }
}
for (const stranger of strangers(root)) fail(stranger);
