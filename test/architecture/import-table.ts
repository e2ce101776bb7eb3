// The import table: which folder may import which, and the check that reports every violation.

import { type Import, importsOf, type Sources } from './sources.ts';

type Share = 'all' | 'types' | readonly string[];

/**
 * Folder of src -> the folders it may import, each with what it may import: everything, types only, or these values besides
 * types. `describe` and `outcomeKinds` of client are pure facts about outcomes without I/O, so that all folders share them.
 */
const table: Readonly<Record<string, Readonly<Record<string, Share>>>> = {
  protocol: {},
  yaml: {},
  maintenance: { memory: ['stateFile'], protocol: 'all' },
  // config needs the names of metric families for metrics.include and metrics.exclude.
  config: {
    maintenance: ['windowFault', 'longestReason'],
    metrics: ['*'],
    probe: ['neverReached'],
    protocol: 'all',
    yaml: 'all',
  },
  client: { protocol: 'all' },
  node: { protocol: 'all', yaml: 'all' },
  // The type of a target's options is inferred from the configuration schema; types leave no import at run time.
  snapshot: { config: 'types', client: ['describe'], protocol: 'all' },
  discovery: {
    config: 'all',
    client: [
      'askerOf',
      'candidates',
      'countedBy',
      'createBudget',
      'describe',
      'echoesOf',
      'faultText',
      'fileFault',
      'readResolvConf',
    ],
    kubernetes: ['follow', 'defaultPace'],
    protocol: 'all',
    yaml: ['check', 'nearest', 'readYaml'],
  },
  // Only the types and helpers of metric rows, nothing of the page.
  sources: {
    config: 'types',
    snapshot: 'all',
    client: ['describe'],
    metrics: ['group', 'readOnce', 'flag', 'fieldOf', 'unmappedFields', 'durationOf'],
    protocol: 'all',
  },
  poller: { sources: 'all', snapshot: 'all', client: 'all', protocol: 'all' },
  conditions: { config: 'types', maintenance: 'types', sources: 'all', snapshot: 'all', client: ['describe'], protocol: 'all' },
  // safe-to-restart evaluates the conditions of a validator and of the others of its subnets.
  restart: { sources: 'all', snapshot: 'all', conditions: 'all', protocol: 'all' },
  events: {
    maintenance: 'types',
    memory: 'types',
    sources: 'all',
    snapshot: 'all',
    conditions: 'types',
    client: ['describe'],
    protocol: 'all',
  },
  memory: { client: ['countedBy'], conditions: 'types', protocol: 'all' },
  kubernetes: { snapshot: 'types', conditions: ['conditionsAt'], protocol: 'all' },
  metrics: {
    maintenance: ['isOpen'],
    sources: 'all',
    snapshot: 'all',
    conditions: 'all',
    client: ['outcomeKinds'],
    protocol: 'all',
  },
  server: {
    sources: 'all',
    metrics: 'all',
    conditions: 'all',
    events: 'all',
    maintenance: 'all',
    restart: 'all',
    snapshot: 'all',
    watchdog: 'all',
    client: ['describe'],
    protocol: 'all',
    // The web configuration is a separate file.
    yaml: 'all',
  },
  rules: { yaml: 'all' },
  watchdog: {},
  shards: { kubernetes: ['follow'] },
  drills: { node: 'all', rules: 'all', protocol: 'all', yaml: 'all' },
  walk: { client: 'all', protocol: 'all' },
  // Polls a target named in a request, with its own client, and renders it like a configured target.
  probe: {
    config: 'types',
    client: 'all',
    report: 'all',
    poller: 'all',
    sources: 'all',
    snapshot: 'all',
    conditions: 'all',
    metrics: 'all',
    protocol: 'all',
  },
  // Text descriptions of a health report for commands and traces; it shares fields with the metrics.
  report: {
    client: ['describe'],
    metrics: ['fieldOf', 'unmappedFields'],
    sources: ['checksWorstFirst', 'failingChecks', 'lastOf', 'standingOf'],
    conditions: 'all',
    snapshot: 'all',
    protocol: 'all',
  },
};

/** Files at the top of src that every file may import; they import nothing else of src. */
export const shared: ReadonlySet<string> = new Set([
  'chunks.ts',
  'connections.ts',
  'failure-log.ts',
  'file-system.ts',
  'format.ts',
  'heap.ts',
  'informational.ts',
  'lists.ts',
  'lock-file.ts',
  'lock-holder.ts',
  'lock-taking.ts',
  'names.ts',
  'networks.ts',
  'one-request.ts',
  'pause.ts',
  'regular-file.ts',
  'text.ts',
  'tls-codes.ts',
  'tls-floods.ts',
  'turns.ts',
]);

/** The top level: each may import every folder and the listed top-level modules; no folder imports them. */
const top: Readonly<Record<string, readonly string[]>> = {
  'target-update.ts': [],
  'removed.ts': [],
  'replaced.ts': ['target-update.ts', 'removed.ts'],
  'entry.ts': ['replaced.ts'],
  'listener-watch.ts': ['entry.ts'],
  'target-table.ts': ['entry.ts', 'removed.ts', 'replaced.ts', 'target-update.ts'],
  'poll-job.ts': ['entry.ts', 'target-update.ts', 'target-table.ts'],
  'exporter.ts': ['entry.ts', 'listener-watch.ts', 'poll-job.ts', 'removed.ts', 'replaced.ts', 'target-table.ts'],
  commands: ['exporter.ts', 'replaced.ts', 'target-update.ts'],
  'logger.ts': ['commands'],
  'version.ts': [],
  'main.ts': ['exporter.ts', 'commands', 'logger.ts', 'version.ts'],
};

/** Libraries that only one file or folder may import. */
const behind: Readonly<Record<string, string>> = {
  got: 'src/client/transport.ts',
  'node-cron': 'src/poller/scheduler.ts',
  'prom-client': 'src/metrics/exposition.ts',
  'classic-level': 'src/node/index/level-store.ts',
  pino: 'src/logger.ts',
  re2js: 'src/config/re2.ts',
};

export const importViolations = (sources: Sources): readonly string[] =>
  [...sources]
    .filter(([file]) => /^src\/.*\.ts$/.test(file))
    .flatMap(([file, text]) => importsOf(file, text).flatMap((found) => problem(file, found).map((why) => `${file}: ${why}`)));

const problem = (file: string, found: Import): readonly string[] =>
  found.file === undefined ? outside(file, found.specifier) : inside(file, found.file, found);

const outside = (file: string, specifier: string): readonly string[] => {
  if (specifier === 'zod') return ["imports 'zod': 'zod/mini' is the one that is small in memory"];
  const name = specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
  const home = behind[name];
  return home === undefined || file.startsWith(home) ? [] : [`imports ${name}, which stands behind ${home}`];
};

const inside = (file: string, target: string, found: Import): readonly string[] => {
  if (!target.startsWith('src/')) return [`imports ${target}, outside src`];
  const [from, to] = [partOf(file), partOf(target)];
  if (from === to || shared.has(to)) return [];
  if (to === 'log.ts') return found.typeOnly || from in top ? [] : ['imports log.ts as a value: it is passed in as an argument'];
  if (from in top) return to in table || top[from]?.includes(to) === true ? [] : [`${from} may not import ${to}`];
  if (!(from in table)) return [`stands in ${from}, which has no row in the import table`];
  return withinShare(table[from]?.[to], found) ? [] : [`${from} may not import ${said(found)} from ${to}`];
};

const withinShare = (share: Share | undefined, found: Import): boolean => {
  if (share === undefined) return false;
  if (share === 'all' || found.typeOnly) return true;
  return share !== 'types' && found.values.every((name) => share.includes(name));
};

const said = (found: Import): string => (found.typeOnly ? 'types' : `values (${found.values.join(', ')})`);

/** src/metrics/report.ts -> metrics; src/log.ts -> log.ts */
const partOf = (file: string): string => file.split('/')[1] ?? '';
