// Replays every captured request to the indexes of a real node against the embedded node with the same containers, and compares
// the responses.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import * as z from 'zod/mini';
import { openLevelStore } from '../../../src/node/index/level-store.ts';
import { progressEntry } from '../../../src/node/network/records.ts';
import { plannedChains } from '../../../src/node/scenario.ts';
import type { IndexName } from '../../../src/protocol/paths.ts';
import { decodeHex } from '../../support/hex.ts';
import { roundsToSettle, scenarioFrom, startTestNode } from '../../support/node.ts';
import { appendTo } from '../../support/node-store.ts';
import { askRaw } from '../../support/raw-http.ts';
import { type Capture, capturesOf, disagreements } from '../../support/replay.ts';

const nothingNew = '{ history: 0, blockInterval: 1h }';
const scenario = `
peers: 0
sybilProtection: false
validators: 0
chains: { P: ${nothingNew}, X: ${nothingNew}, C: ${nothingNew} }
`;

const containerSchema = z.object({
  id: z.string(),
  bytes: z.string(),
  timestamp: z.string(),
  encoding: z.string(),
  index: z.string(),
});
type Captured = z.infer<typeof containerSchema>;
const answerSchema = z.object({ result: z.union([z.object({ containers: z.array(containerSchema) }), containerSchema]) });

/** The containers in the captured responses, by index and number. */
const containersIn = (captures: readonly Capture[]): ReadonlyMap<IndexName, readonly Captured[]> => {
  const found = new Map<IndexName, readonly Captured[]>();
  for (const name of ['P/block', 'X/block', 'C/block'] as const) {
    const byNumber = new Map<string, Captured>();
    for (const { request, answer } of captures) {
      if (request.path !== `/ext/index/${name}` || !answer.body.includes('"result":{')) continue;
      const parsed = answerSchema.safeParse(JSON.parse(answer.body));
      if (!parsed.success) continue;
      const { result } = parsed.data;
      for (const container of 'containers' in result ? result.containers : [result])
        if (container.encoding === 'hex') byNumber.set(container.index, container);
    }
    found.set(
      name,
      [...byNumber.values()].sort((a, b) => Number(a.index) - Number(b.index)),
    );
  }
  return found;
};

/** A data dir like that of the captured node: its containers, and chains of the same height. */
const dataDirWith = async (captures: readonly Capture[]): Promise<string> => {
  const dir = await mkdtemp(join(tmpdir(), 'snowgauge-replay-'));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  const opened = await openLevelStore(dir);
  if (opened.kind === 'refused') throw new Error(opened.message);
  for (const [name, containers] of containersIn(captures)) {
    for (const { id, bytes, timestamp } of containers) {
      const decoded = decodeHex(bytes);
      if (decoded === undefined) throw new Error(`container ${id} has a wrong checksum`);
      await appendTo(opened.store, name, [{ id, bytes: decoded }], timestamp);
    }
    const chain = plannedChains(await scenarioFrom(scenario)).find((planned) => `${planned.name}/block` === name);
    const last = containers.at(-1);
    if (chain !== undefined && last !== undefined)
      await opened.store.write([progressEntry(chain.id).put({ height: containers.length, id: last.id })]);
  }
  await opened.store.close();
  return dir;
};

let agreed = 0;
let asked = 0;
afterAll(() => console.log(`replay: ${agreed} of ${asked} agree`));

test.each(['healthy-empty-index', 'populated-index'])(
  'the indexes of a node in the state %s respond as the real ones did',
  async (state) => {
    const captures = capturesOf(state);
    const node = await startTestNode(
      { dialect: 'avalanchego', indexEnabled: true, dataDir: await dataDirWith(captures) },
      scenario,
    );
    await node.ticks(roundsToSettle);
    const mismatches: string[] = [];
    for (const capture of captures) {
      const ours = await askRaw(node.port, capture.request);
      const different = disagreements(capture, ours);
      // The containers are the same, so results must be equal to the byte.
      const isResult = capture.answer.body.includes('"result":');
      const all = isResult && ours.body !== capture.answer.body ? [...different, 'not the same bytes'] : different;
      asked += 1;
      if (all.length === 0) agreed += 1;
      else mismatches.push(`${capture.name}: ${all.join('; ')}\nreal: ${capture.answer.body}\nours: ${ours.body}`);
    }
    expect(mismatches).toEqual([]);
  },
);
