import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // Suites spawn processes and open sockets on a two-core machine; more workers only slow each other down.
    maxWorkers: 2,
    // No module has state, so the suites share one module graph a worker: most of a run is loading modules.
    isolate: false,
    pool: 'threads',
    // Generous: a test that hangs still ends, and a slow machine fails none.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    reporters: ['default'],
  },
});
