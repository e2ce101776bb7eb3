import { defineConfig } from 'vitest/config';
import { viteBrowserText } from './scripts/browser.mjs';

const endToEnd = 'test/e2e/**/*.test.ts';
const drills = 'test/e2e/drill.test.ts';
const cluster = 'test/e2e/kubernetes/**/*.test.ts';

export default defineConfig({
  plugins: [viteBrowserText],
  test: {
    // Suites spawn processes and open sockets on a two-core machine; more workers only slow each other down.
    maxWorkers: 2,
    // No module has state, so the suites share one module graph a worker: most of a run is loading modules.
    isolate: false,
    pool: 'threads',
    // Generous: a test that hangs still ends, and a slow machine fails none.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    reporters: ['default'],
    projects: [
      {
        extends: true,
        test: { name: 'suites', include: ['test/**/*.test.ts'], exclude: [endToEnd], sequence: { groupOrder: 0 } },
      },
      {
        extends: true,
        test: { name: 'end to end', include: [endToEnd], exclude: [drills, cluster], sequence: { groupOrder: 0 } },
      },
      // What they judge is time: six at once need a machine to themselves.
      { extends: true, test: { name: 'drills', include: [drills], sequence: { groupOrder: 1 } } },
      // A whole Kubernetes leaves nothing of the machine to others, so it comes after them.
      { extends: true, test: { name: 'cluster', include: [cluster], sequence: { groupOrder: 2 } } },
    ],
  },
});
