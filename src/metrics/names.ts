// The names of all families that can exist.

import { type Sources, sources } from '../sources/sources.ts';
import { targetDefinitions } from './families.ts';
import { ownDefinitions } from './own.ts';

/** Metrics of the process. Some exist only on Linux, but a configuration may be checked on another system. */
const ofProcess = [
  ...['user_seconds_total', 'system_seconds_total', 'seconds_total'].map((name) => `process_cpu_${name}`),
  ...['start_time_seconds', 'open_fds', 'max_fds'].map((name) => `process_${name}`),
  ...['resident_memory', 'virtual_memory', 'heap'].map((name) => `process_${name}_bytes`),
  ...['', 'min_', 'max_', 'mean_', 'stddev_', 'p50_', 'p90_', 'p99_'].map((name) => `nodejs_eventloop_lag_${name}seconds`),
  ...['resources', 'handles', 'requests'].map((name) => `nodejs_active_${name}`),
  ...['heap_size_total', 'heap_size_used', 'external_memory'].map((name) => `nodejs_${name}_bytes`),
  ...['total', 'used', 'available'].map((name) => `nodejs_heap_space_size_${name}_bytes`),
  'nodejs_version_info',
  'nodejs_gc_duration_seconds',
];

export const familyNamesOf = (table: Sources): readonly string[] => [
  ...[...targetDefinitions(table), ...ownDefinitions].map(({ name }) => name),
  ...ofProcess,
];

export const familyNames: readonly string[] = familyNamesOf(sources);
