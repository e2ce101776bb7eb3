import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { viteBrowserText } from './scripts/browser.mjs';
import { imageMajor } from './scripts/node-versions.mjs';

const every = 'test/**/*.test.ts';
const long = 'test/**/*.long.test.ts';
const soak = 'test/**/*.soak.test.ts';
/**
 * What another Node can change: sockets, files, processes, signals. The rest computes, as lines of the log, pages of a fleet and simulated
 * chains do, or tries other programs against ours.
 */
const whatNodeChanges = [
  ...['client/**/*', 'commands/**/*', 'events/{first-poll,hostile-history,other-node,store}', 'memory/**/*'],
  ...['node/*', 'node/index/**/*', 'server/*', 'server/web/**/*'],
].map((files) => `test/${files}.test.ts`);
/** Of memory only that of the Node that is shipped is bounded so tightly. */
const judged = process.versions.node.startsWith(`${imageMajor}.`) ? ['test/hostile/**/*.test.ts'] : [];
const onThisNode = process.env.SNOWGAUGE_TEST_OTHER_NODE === '1' ? ['test/*.test.ts', ...whatNodeChanges, ...judged] : [every];

/** The longest of all, in their order: of these a worker that is free too late would be waited for. */
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
  ...['e2e/rules', 'e2e/page', 'commands/index-export', 'commands/reload', 'conditions/truth-table', 'hostile/nodes'],
  ...['e2e/image', 'charts/schemas', 'conditions/scenarios', 'memory/run', 'kubernetes/pod-labels', 'charts/objects'],
].map((name) => `test/${name}.test.ts`);

/** What takes longest begins first, so that the last minutes are not one file's. Vitest itself knows only after a first run. */
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
    // For two cores: most files wait, for processes, sockets and clocks. Those that are long compute, and are starved by more of them.
    maxWorkers: process.env.SNOWGAUGE_TEST_ALL === '1' ? 4 : 5,
    // Of tools in Go, promtool first of all: by default it collects garbage for a quarter of its processor time. A larger heap costs
    // more than it saves, as each of its pages has to be made.
    env: { GOGC: '200' },
    // No module has state, so the suites share one module graph a worker: most of a run is loading modules.
    isolate: false,
    pool: 'threads',
    // Generous: a test that hangs still ends, and a slow machine fails none.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    // The usual second would judge the machine.
    expect: { poll: { timeout: 280_000 } },
    // The line of a failure says all of what was found: a log may be all that is left of it.
    chaiConfig: { truncateThreshold: 1000 },
    reporters: ['default'],
    sequence: { sequencer: LongestFirst },
    setupFiles: ['test/support/property-seed.ts'],
    projects: [
      // What `npm test` runs.
      { extends: true, test: { name: 'suites', include: onThisNode, exclude: [long, soak], sequence: { groupOrder: 0 } } },
      // Kills by the dozen, drills of alerts, a whole Kubernetes: scripts/projects.mjs says what may run beside what.
      { extends: true, test: { name: 'long', include: [long], maxConcurrency: 8, sequence: { groupOrder: 0 } } },
      // By hand, `npm run soak`: whatever takes ten minutes and more.
      { extends: true, test: { name: 'soak', include: [soak], maxWorkers: 1, maxConcurrency: 32, sequence: { groupOrder: 1 } } },
    ],
  },
});
