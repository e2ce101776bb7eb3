import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { viteBrowserText } from './scripts/browser.mjs';
import { imageMajor } from './scripts/node-versions.mjs';

const every = 'test/**/*.test.ts';
const long = 'test/**/*.long.test.ts';
const soak = 'test/**/*.soak.test.ts';
/**
 * What may behave differently on another Node.js version: sockets, files, processes, signals. The other suites only compute, such
 * as log lines, pages and simulated chains, or test other programs against ours.
 */
const whatNodeChanges = [
  ...['client/**/*', 'commands/**/*', 'events/{first-poll,hostile-history,other-node,store}', 'memory/**/*'],
  ...['node/*', 'node/index/**/*', 'server/*', 'server/web/**/*'],
].map((files) => `test/${files}.test.ts`);
/** Memory limits this tight hold only for the Node.js version of the image. */
const judged = process.versions.node.startsWith(`${imageMajor}.`) ? ['test/hostile/**/*.test.ts'] : [];
const onThisNode = process.env.SNOWGAUGE_TEST_OTHER_NODE === '1' ? ['test/*.test.ts', ...whatNodeChanges, ...judged] : [every];

/** The longest suites, in this order: if one started last, the run would wait for a single worker. */
export const longest = [
  ...[
    'node/index/crash.long',
    'endurance/endurance.long',
    'e2e/rules.long',
    'e2e/quiet.long',
    'e2e/systemd.long',
    'e2e/release.long',
  ],
  ...['sources/validator/year.long', 'fuzz/samples.long', 'shards/api-server.long', 'charts/schemas.long', 'events/kill.long'],
  ...['e2e/image.long', 'e2e/dashboards.long', 'kubernetes/pod-labels.long'],
  ...['e2e/rules', 'e2e/page', 'commands/index-export', 'commands/reload', 'conditions/truth-table', 'hostile/nodes'],
  ...['charts/schemas', 'conditions/scenarios', 'memory/run', 'charts/objects'],
].map((name) => `test/${name}.test.ts`);

/**
 * Starts the longest files first, so that the last minutes are not spent on one file. Vitest knows durations only after a first
 * run.
 */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ project, moduleId }: TestSpecification): number => {
      const known = longest.findIndex((file) => moduleId.endsWith(`/${file}`));
      if (known >= 0) return known;
      return longest.length + Number(!(project.name === 'long' || moduleId.includes('/test/e2e/')));
    };
    return (await super.sort(files)).sort((one, other) => place(one) - place(other));
  }
}

export default defineConfig({
  plugins: [viteBrowserText],
  test: {
    // For two cores: most files wait for processes, sockets and clocks, the long ones most of all.
    maxWorkers: process.env.SNOWGAUGE_TEST_ALL === '1' ? 6 : 5,
    // For tools in Go, promtool first of all: by default, garbage collection takes a quarter of its CPU. A larger heap costs more
    // than it saves because of page faults.
    env: { GOGC: '200' },
    // No module has state, so the suites of a worker share one module graph: most of a run is spent loading modules.
    isolate: false,
    pool: 'threads',
    // Generous, so that a hanging test still ends and a slow machine fails none.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    // The default of one second would depend on the machine.
    expect: { poll: { timeout: 280_000 } },
    // Prints values in failures in full, because a log may be all that is left.
    chaiConfig: { truncateThreshold: 1000 },
    reporters: ['default'],
    sequence: { sequencer: LongestFirst },
    setupFiles: ['test/support/property-seed.ts'],
    projects: [
      // Run by `npm test`.
      { extends: true, test: { name: 'suites', include: onThisNode, exclude: [long, soak], sequence: { groupOrder: 0 } } },
      // Repeated kills, alert drills, a whole Kubernetes: scripts/projects.mjs defines what may run in parallel.
      { extends: true, test: { name: 'long', include: [long], maxConcurrency: 8, sequence: { groupOrder: 0 } } },
      // Run by hand with `npm run soak`: tests that take ten minutes and more.
      { extends: true, test: { name: 'soak', include: [soak], maxWorkers: 1, maxConcurrency: 32, sequence: { groupOrder: 1 } } },
    ],
  },
});
