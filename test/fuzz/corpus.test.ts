// Replays the corpus: faults that fuzzing has found, and a case of each feature. Also checks that its requests cover every route.

import { expect, test } from 'vitest';
import { healthPaths, indexNames, servicePaths } from '../../src/protocol/paths.ts';
import { playAnswers } from './answer-judge.ts';
import { besiege } from './besieged.ts';
import { playConfiguration } from './configurations.ts';
import { filesOf, type Kind } from './corpus.ts';
import { answerKind, configurationKind, requestKind } from './kinds.ts';
import { type Destination, paths } from './paths.ts';
import { judgeAlive, playRequests } from './request-judge.ts';
import { createWorld } from './world.ts';

/** Replays all files of a kind, and names the one that fails. */
const replay = async <Case>(kind: Kind<Case>, play: (one: Case) => Promise<unknown>): Promise<void> => {
  const files = filesOf(kind);
  expect(files).not.toHaveLength(0);
  for (const [file, text] of files)
    await play(kind.read(text)).catch((cause: unknown) => {
      throw new Error(file, { cause });
    });
};

test('mutated responses of the corpus are parsed, evaluated and rendered', async () => {
  const world = await createWorld();
  await replay(answerKind, (one) => playAnswers(world, one));
});

test('configurations of the corpus are rejected with errors or can be watched', async () => {
  const world = await createWorld();
  await replay(configurationKind, (text) => playConfiguration(world, text));
});

test('requests of the corpus get valid HTTP responses, and the servers respond afterwards', async ({ signal }) => {
  const besieged = await besiege(await createWorld(), signal);
  await replay(requestKind, (cases) => playRequests(besieged, cases));
  await judgeAlive(besieged);
});

/** The paths that an exporter lists itself; those of the node are from the interface. */
const routesOf = async (to: Destination, port: number): Promise<readonly string[]> => {
  if (to === 'node') {
    const { index, ...services } = servicePaths;
    return [...Object.values(healthPaths), ...Object.values(services), ...indexNames.map(index)];
  }
  const listed = await (await fetch(`http://127.0.0.1:${port}/nowhere`)).text();
  const [, named = ''] = /available paths: (.*)$/m.exec(listed) ?? [];
  const routes = named.match(/\/[\w/-]*/g) ?? [];
  const ofTargets = routes.map((route) => route.replace('/self/', '/targets/NAME/'));
  return [...new Set([...routes, ...ofTargets])].filter((route) => route !== '/targets/NAME');
};

test('the paths of test/fuzz/paths.ts cover every route', async ({ signal }) => {
  const { ports } = await besiege(await createWorld(), signal);
  for (const to of ['exporter', 'shard', 'probes', 'token', 'node'] as const) {
    const asked = paths[to].map((path) => path.split('?')[0] ?? '');
    const isAsked = (route: string): boolean => {
      const pattern = new RegExp(`^${route.replace(/NAME|TAGSET/g, '[^/]+')}$`);
      return asked.some((path) => pattern.test(path));
    };
    const routes = await routesOf(to, ports[to]);
    expect(routes.length, to).toBeGreaterThan(9);
    expect(
      routes.filter((route) => !isAsked(route)),
      `paths of ${to} that test/fuzz/paths.ts has not`,
    ).toEqual([]);
  }
});
