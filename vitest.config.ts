import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { viteBrowserText } from './scripts/browser.mjs';

const every = 'test/**/*.test.ts';
const long = 'test/**/*.long.test.ts';
const soak = 'test/**/*.soak.test.ts';
/** What judges time or processor time, of itself or of a cluster: it gets the machine to itself. */
const alone = ['e2e/drill', 'e2e/kubernetes/kubernetes', 'fuzz/fuzz', 'hostile/clients', 'hostile/drips', 'hostile/nodes'].map(
  (name) => `test/${name}.long.test.ts`,
);
/** What another Node can change: sockets, files, processes, signals. The rest computes, or tries other programs against ours. */
const whatNodeChanges = ['client', 'commands', 'events', 'memory', 'node', 'server'].map((room) => `test/${room}/**/*.test.ts`);
const onThisNode = process.env.SNOWGAUGE_TEST_OTHER_NODE === '1' ? ['test/*.test.ts', ...whatNodeChanges] : [every];

/** What takes longest begins first, so that the last minutes are not one file's. Vitest itself knows only after a first run. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLong = ({ project, moduleId }: TestSpecification): number =>
      Number(project.name === 'long-beside' || (project.name === 'suites' && moduleId.includes('/test/e2e/')));
    return (await super.sort(files)).sort((one, other) => isLong(other) - isLong(one));
  }
}

export default defineConfig({
  plugins: [viteBrowserText],
  test: {
    // For two cores: files that wait, for processes, sockets and clocks, are as many as those that compute.
    maxWorkers: 3,
    // Of tools in Go, promtool first of all: a third of their processor time was the collecting of garbage.
    env: { GOGC: '400' },
    // No module has state, so the suites share one module graph a worker: most of a run is loading modules.
    isolate: false,
    pool: 'threads',
    // Generous: a test that hangs still ends, and a slow machine fails none.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    // The usual second would judge the machine.
    expect: { poll: { timeout: 280_000 } },
    reporters: ['default'],
    sequence: { sequencer: LongestFirst },
    setupFiles: ['test/support/property-seed.ts'],
    projects: [
      // What `npm test` runs.
      {
        extends: true,
        test: { name: 'suites', include: onThisNode, exclude: [long, soak], sequence: { groupOrder: 0 } },
      },
      // Kills by the hundred, days of twenty nodes: with the suites, where these run too.
      { extends: true, test: { name: 'long-beside', include: [long], exclude: alone, sequence: { groupOrder: 0 } } },
      // Drills of alerts, a whole Kubernetes, hostile clients: one after the other.
      { extends: true, test: { name: 'long', include: alone, maxWorkers: 1, maxConcurrency: 8, sequence: { groupOrder: 1 } } },
      // By hand, `npm run soak`: whatever takes ten minutes and more.
      { extends: true, test: { name: 'soak', include: [soak], maxWorkers: 1, maxConcurrency: 32, sequence: { groupOrder: 2 } } },
    ],
  },
});
