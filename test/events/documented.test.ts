// The log lines in docs/configuration.md are those of a node that is down for 45 s.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { demoScenario, demoSubnets } from '../../src/commands/demo-scenario.ts';
import { createLog } from '../../src/logger.ts';
import { unpainted } from '../../src/report/paint.ts';
import { type Said, temporaryFolder } from '../support/events.ts';
import { freePort } from '../support/free-port.ts';
import { roundsToSettle, startTestNode } from '../support/node.ts';
import { watch } from '../support/watching.ts';

const document = readFileSync(join(import.meta.dirname, '../../docs/configuration.md'), 'utf8');
const documented = [...document.matchAll(/^ {4}\d\d:\d\d:\d\dZ ((?:WARN|INFO) .*)$/gm)].map(([, line]) => line);

/** A kept-alive connection may be reset before a new one is refused: both mean that the node is down. */
const shown = (text: string, port: number): string =>
  text
    .trimEnd()
    .replace(/^\S+ /, '')
    .replaceAll(String(port), '9650')
    .replace(/connection reset \([^)]*\)/, 'connection refused (connect ECONNREFUSED 127.0.0.1:9650)');

test('a node that is down for 45 s logs the documented lines, and in JSON each change of its condition', async () => {
  const [httpPort, dataDir] = [await freePort(), await temporaryFolder()];
  let now = 1_800_000_000;
  const begin = () => startTestNode({ httpPort, dataDir }, demoScenario.replace(/^faults:[\s\S]*/m, ''), now);
  const pretty: string[] = [];
  const json: Record<string, unknown>[] = [];
  const writing = (format: 'pretty' | 'json', write: (text: string) => void) =>
    createLog({ level: 'info', format }, { isTerminal: false, paint: unpainted, destination: { write } });
  const logs = [
    writing('pretty', (text) => pretty.push(shown(text, httpPort))),
    writing('json', (text) => json.push(JSON.parse(text))),
  ];
  const all = (level: 'info' | 'warn') => (fields: Said['fields'], message: string) => {
    for (const log of logs) log[level](fields, message);
  };
  const log = {
    ...createLog({ level: 'silent', format: 'json' }, { isTerminal: false, paint: unpainted }),
    info: all('info'),
    warn: all('warn'),
  };
  const tagSets = [
    { name: 'all', tags: [] },
    { name: 'my-l1', tags: [demoSubnets.alpha] },
  ];
  const watching = watch(
    `http://127.0.0.1:${httpPort}`,
    () => now,
    { tagSets, indexes: [], healthCheckFrequency: 30 },
    {},
    { log },
  );
  const node = await begin();
  await node.ticks(roundsToSettle);
  await watching.poll();
  for (const lines of [pretty, json]) lines.splice(0);
  await node.close();
  now += 5;
  await watching.poll();
  now += 45.1;
  const again = await begin();
  for (let polls = 0; polls < 3; polls += 1) {
    await watching.poll();
    now += 30;
    again.advance(30);
    await again.ticks(roundsToSettle);
  }
  expect(pretty).toEqual(documented);
  const changes = () => json.flatMap(({ condition, from, to }) => (condition === 'Ready' ? [`${from} ${to}`] : []));
  expect(changes()).toEqual(['True Unknown', 'False True']);

  // Ready with the first response: the line of the restart has it.
  await again.close();
  await watching.poll();
  await (await begin()).ticks(roundsToSettle);
  await watching.poll();
  expect(changes().slice(2)).toEqual(['True Unknown', 'Unknown True']);
  expect(json.at(-1)).toMatchObject({ msg: 'node restarted: its port was closed in between', ready: ['all', 'my-l1'] });
});
