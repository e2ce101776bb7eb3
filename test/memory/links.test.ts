// A link in place of a state file: its target belongs to somebody else, and is neither read nor changed.

import { cp, lstat, readFile, rename, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Target } from '../../src/conditions/condition.ts';
import { judge } from '../../src/conditions/judge.ts';
import type { Log } from '../../src/log.ts';
import { windowFile } from '../../src/maintenance/window-file.ts';
import { openDiscoveredMemory } from '../../src/memory/discovered-memory.ts';
import { openIndexMemory } from '../../src/memory/index-memory.ts';
import { openLivenessFiles } from '../../src/memory/liveness-file.ts';
import { openSubnetMemory } from '../../src/memory/subnet-memory.ts';
import { servedBefore } from '../../src/sources/indexes/indexes.ts';
import { rememberedSubnets } from '../../src/sources/subnets/subnets.ts';
import { newTarget } from '../../src/sources/target-state.ts';
import { listeningLog, temporaryFolder } from '../support/events.ts';
import { targetOptions } from '../support/snapshot.ts';

/** The state of another run, with the same target. */
const theirs = new URL('../fixtures/state-v1/', import.meta.url).pathname;
const node = { name: 'node', url: 'http://127.0.0.1:9650' };
const targets = [node.name];
const clocks = { now: () => 5100, sinceBoot: () => 5100 };

/** A target with every kind of saved state. */
const known = (): Target => {
  const options = targetOptions({ ...node, indexes: 'auto', writtenTagSets: [] });
  const subnets = rememberedSubnets([{ id: 'own', name: 'own', checks: ['own'] }]);
  const state = newTarget(options, undefined, { indexes: servedBefore(['X/tx']), subnets });
  return { state, conditions: judge(undefined, state, 5100, { answered: true, listener: 'boot 7', interval: 30 }) };
};

interface Row {
  readonly file: string;
  readonly what: string;
  readonly none?: unknown;
  readonly open: (
    stateDir: string,
    log: Log,
  ) => Promise<{
    readonly recalled: unknown;
    readonly write: () => Promise<unknown>;
  }>;
}

const rows: readonly Row[] = [
  {
    file: 'maintenance.json',
    what: 'maintenance windows of an earlier run',
    none: [],
    open: async (stateDir, log) => {
      const file = windowFile(stateDir, log);
      return { recalled: await file.read(), write: () => file.write([]) };
    },
  },
  ...[
    { file: 'indexes.json', what: 'known indexes', openMemory: openIndexMemory },
    { file: 'subnets.json', what: 'known subnets', openMemory: openSubnetMemory },
  ].map(
    ({ file, what, openMemory }): Row => ({
      file,
      what: `${what} of an earlier run`,
      none: [],
      open: async (stateDir, log) => {
        const memory = await openMemory({ stateDir, targets }, log);
        return { recalled: memory.recall(node), write: () => memory.keep(known()) };
      },
    }),
  ),
  {
    file: 'discovered.json',
    what: 'discovered targets of an earlier run',
    none: false,
    open: async (stateDir, log) => {
      const memory = await openDiscoveredMemory({ stateDir }, log);
      return { recalled: memory.has('pods/validator-1'), write: () => memory.keep(['pods/own'], true) };
    },
  },
  {
    file: 'liveness/node.json',
    what: 'liveness state of an earlier run',
    open: async (stateDir, log) => {
      const files = await openLivenessFiles({ stateDir, targets }, { ...clocks, log });
      return { recalled: files.recall(node), write: () => files.keep(known()) };
    },
  },
];

test.each(rows)('a link at $file is neither read nor written through', async ({ file, what, none, open }) => {
  const [stateDir, elsewhere] = [await temporaryFolder(), await temporaryFolder()];
  await cp(theirs, stateDir, { recursive: true });
  const [own, other] = [join(stateDir, file), join(elsewhere, 'theirs.json')];
  await cp(own, other);
  const before = await readFile(other, 'utf8');
  const { said, log } = listeningLog();
  // The same content is read from a regular file.
  expect((await open(stateDir, log)).recalled).not.toEqual(none);
  expect(said).toEqual([]);
  await symlink(other, join(stateDir, 'link'));
  await rename(join(stateDir, 'link'), own);

  const { recalled, write } = await open(stateDir, log);
  expect(recalled).toEqual(none);
  expect(said).toEqual([{ level: 'warn', fields: { file: own }, message: `${what} unreadable: ignored` }]);
  await write();
  expect((await lstat(own)).isFile()).toBe(true);
  expect(await readFile(own, 'utf8')).not.toBe(before);
  expect(await readFile(other, 'utf8')).toBe(before);
  expect(said).toHaveLength(1);
});
