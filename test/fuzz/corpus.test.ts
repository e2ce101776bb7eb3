// What fuzzing has found, and a case of each kind of answer that it has met, again.

import { expect, test } from 'vitest';
import { playAnswers } from './answer-judge.ts';
import { besiege } from './besieged.ts';
import { playConfiguration } from './configurations.ts';
import { filesOf, type Kind } from './corpus.ts';
import { answerKind, configurationKind, requestKind } from './kinds.ts';
import { judgeAlive, playRequests } from './request-judge.ts';
import { createWorld } from './world.ts';

/** All of a kind, and which of them was none. */
const replay = async <Case>(kind: Kind<Case>, play: (one: Case) => Promise<unknown>): Promise<void> => {
  const files = filesOf(kind);
  expect(files).not.toHaveLength(0);
  for (const [file, text] of files)
    await play(kind.read(text)).catch((cause: unknown) => {
      throw new Error(file, { cause });
    });
};

test('answers are understood, judged and rendered', async () => {
  const world = await createWorld();
  await replay(answerKind, (one) => playAnswers(world, one));
});

test('configurations are refused in sentences, or can be watched', async () => {
  const world = await createWorld();
  await replay(configurationKind, (text) => playConfiguration(world, text));
});

test('requests are answered as HTTP has it, and the next one too', async ({ signal }) => {
  const besieged = await besiege(await createWorld(), signal);
  await replay(requestKind, (cases) => playRequests(besieged, cases));
  await judgeAlive(besieged);
});
