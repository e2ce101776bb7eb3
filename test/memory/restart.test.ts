// A hung node while the exporter is restarted: real processes, sockets and files, with the clock of the test. A new process
// is never Unresponsive because of a previous one.

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { silentLog } from '../../src/log.ts';
import { listeners } from '../../src/memory/listener.ts';
import { openLivenessFiles } from '../../src/memory/liveness-file.ts';
import { temporaryFolder } from '../support/events.ts';
import { startPlainNode } from '../support/plain-node.ts';
import { watch } from '../support/watching.ts';

/** Failed polls in a row, 30 s apart, after which a node is Unresponsive; the first one starts the silence. */
const deadAfter = 5;
const liveness = { unresponsiveAfter: deadAfter - 1, frozenAfter: 20 };

interface Restart {
  /** Without the state of an earlier run. */
  readonly withoutMemory?: boolean;
}

/** A node, and one exporter after the other. */
const scene = async () => {
  const stateDir = await temporaryFolder();
  const clock = join(stateDir, 'clock');
  let seconds = 0;
  const pass = async (by: number): Promise<void> => {
    seconds += by;
    await writeFile(clock, `${1_800_000_000 + seconds}`);
  };
  await pass(0);
  let node = await startPlainNode(clock);
  const { port } = node;
  const url = `http://127.0.0.1:${port}`;
  const find = listeners();
  let beforeLook: (() => Promise<void>) | undefined;
  let runs = 0;

  const begin = async (folder = stateDir) => {
    runs += 1;
    // The wall clock changes between the starts; only the clock since boot is continuous.
    const origin = 1_800_000_000 + runs * 10_000;
    const now = (): number => origin + seconds;
    const files = await openLivenessFiles(
      { stateDir: folder, targets: ['node'] },
      { now, sinceBoot: () => 5000 + seconds, log: silentLog },
    );
    const options = { indexes: [], healthCheckFrequency: 30, liveness };
    const watching = watch(
      url,
      now,
      options,
      {},
      {
        recalled: files.recall({ name: 'node', url }),
        listener: async () => {
          await beforeLook?.();
          beforeLook = undefined;
          return find(url);
        },
      },
    );
    return { watching, files };
  };
  let exporter = await begin();

  /** The Live condition after each of `count` polls. */
  const polls = async (count: number, patience: 'patient' | 'impatient'): Promise<readonly string[]> => {
    const said: string[] = [];
    for (let done = 0; done < count; done += 1) {
      await pass(30);
      const { watching, files } = exporter;
      await watching.poll(patience);
      await files.keep({ state: watching.target(), conditions: watching.conditions() });
      const { status, reason } = watching.conditions().live;
      said.push(`${status} ${reason}`);
    }
    return said;
  };
  return {
    pass,
    answered: (count: number) => polls(count, 'patient'),
    silent: (count: number) => polls(count, 'impatient'),
    hang: () => node.signal('SIGSTOP'),
    goOn: () => node.signal('SIGCONT'),
    restart: async ({ withoutMemory = false }: Restart = {}) => {
      exporter = await begin(withoutMemory ? await temporaryFolder() : stateDir);
    },
    /** Another process at the same port, which never responds. */
    replace: async () => {
      await node.kill();
      node = await startPlainNode(clock, port, 'silent');
    },
    beforeLook: (act: () => Promise<void>) => {
      beforeLook = act;
    },
  };
};

const unsure = 'Unknown NoResponse';
const dead = 'False Unresponsive';
const times = (count: number, one: string): readonly string[] => Array.from({ length: count }, () => one);

test('a hung node becomes Unresponsive at the same time as without restarts of the exporter', async () => {
  const { answered, silent, hang, restart } = await scene();
  expect(new Set(await answered(5))).toEqual(new Set(['True NodeResponding']));
  hang();
  expect(await silent(2)).toEqual([unsure, unsure]);
  await restart();
  await restart();
  expect(await silent(deadAfter - 2)).toEqual([...times(deadAfter - 3, unsure), dead]);
});

test('without saved state, a hung node does not become Unresponsive', async () => {
  const { answered, silent, hang, restart } = await scene();
  await answered(5);
  hang();
  await silent(2);
  await restart({ withoutMemory: true });
  expect(new Set(await silent(deadAfter * 2))).toEqual(new Set([unsure]));
});

test('an Unresponsive node stays so across a restart, for ten minutes in total', async () => {
  const { answered, silent, hang, restart } = await scene();
  await answered(5);
  hang();
  expect((await silent(deadAfter)).at(-1)).toBe(dead);
  expect(await silent(9)).toEqual(times(9, dead));
  await restart();
  // 600 s after the first False, 30 s apart.
  expect(await silent(13)).toEqual([...times(11, dead), unsure, unsure]);
  await restart();
  expect(await silent(deadAfter)).toEqual(times(deadAfter, unsure));
});

test('a node that hangs right after a restart becomes Unresponsive by the check interval measured before it', async () => {
  const { answered, silent, hang, restart } = await scene();
  await answered(5);
  await restart();
  await answered(1);
  hang();
  expect(await silent(deadAfter)).toEqual([...times(deadAfter - 1, unsure), dead]);
});

test('a response after a restart resets the silence', async () => {
  const { answered, silent, hang, goOn, restart } = await scene();
  await answered(5);
  hang();
  await silent(deadAfter - 1);
  await restart();
  goOn();
  expect(await answered(1)).toEqual(['True NodeResponding']);
  hang();
  await restart();
  expect(await silent(deadAfter)).toEqual([...times(deadAfter - 1, unsure), dead]);
});

test('a silence that was not observed for more than ten minutes is reset', async () => {
  const { answered, silent, hang, pass, restart } = await scene();
  await answered(5);
  hang();
  await silent(deadAfter - 1);
  await pass(601);
  await restart();
  expect(await silent(deadAfter)).toEqual([...times(deadAfter - 1, unsure), dead]);
});

test.each([
  { when: 'while the exporter is restarted', restarted: true },
  { when: 'between two polls', restarted: false },
])('a new process that never responds, started $when, does not become Unresponsive', async ({ restarted }) => {
  const { answered, silent, hang, replace, restart } = await scene();
  await answered(5);
  hang();
  await silent(deadAfter - 1);
  await replace();
  if (restarted) await restart();
  expect(await silent(deadAfter * 2)).toEqual(times(deadAfter * 2, unsure));
});

test.each([{ restarted: true }, { restarted: false }])(
  'a new process does not become Unresponsive if it started between response and listener lookup (restarted: $restarted)',
  async ({ restarted }) => {
    const { answered, silent, replace, beforeLook, restart } = await scene();
    await answered(5);
    beforeLook(replace);
    expect(await answered(1)).toEqual(['True NodeResponding']);
    if (restarted) await restart();
    expect(await silent(deadAfter * 2)).toEqual(times(deadAfter * 2, unsure));
  },
);
