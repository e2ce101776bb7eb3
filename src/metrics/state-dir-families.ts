// Families of stateDir, which keeps state across restarts.

import { flag, type Row } from './family.ts';

export interface StateDirTally {
  /** Why nothing can be written to it; absent if it is writable. */
  readonly fault?: string | undefined;
  /** Files written by a newer version. */
  readonly newer: readonly string[];
}

export const stateDirRows: readonly Row<StateDirTally>[] = [
  {
    name: 'snowgauge_state_dir_writable',
    type: 'gauge',
    labels: [],
    unit: 'boolean',
    help: '1 if this process can write to stateDir, 0 while another snowgauge holds the lock on it, or the last write of the event history failed. No sample without a stateDir.',
    source: 'the lock on stateDir, and the last write of the event history',
    value: ({ fault }) => flag(fault === undefined),
  },
  {
    name: 'snowgauge_state_dir_newer_files',
    type: 'gauge',
    labels: [],
    unit: 'count',
    help: 'Files under stateDir in a newer format: neither read nor changed. No sample without a stateDir.',
    source: 'the files under stateDir',
    value: ({ newer }) => newer.length,
  },
];
