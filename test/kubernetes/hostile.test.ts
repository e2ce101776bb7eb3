// Malformed and hostile responses of an API server to the discovery of pods.

import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import type { RequestListener, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { type PodPace, watchPods } from '../../src/discovery/kubernetes/pods.ts';
import { createFailureLog } from '../../src/failure-log.ts';
import { type Cluster, exchange } from '../../src/kubernetes/exchange.ts';
import { oneAtATime } from '../../src/pause.ts';
import { following } from '../discovery/updates.ts';
import { accountOf, tls } from '../support/label-keeper.ts';
import { patience } from '../support/run-process.ts';
import { serveHttps } from '../support/serve.ts';

const fast: PodPace = { deadlineMs: 280_000, watchSeconds: 3600, goneAfterMs: 50, retryMs: 20 };

interface Answers {
  readonly list?: RequestListener;
  readonly watch?: RequestListener;
}

const say = (response: ServerResponse, status: number, body: unknown): void => {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
};

const empty: RequestListener = (_request, response) => say(response, 200, { metadata: { resourceVersion: '1' }, items: [] });
const open: RequestListener = (_request, response) => response.writeHead(200).flushHeaders();

const serving = async (answer: RequestListener) => {
  const options = { cert: await readFile(join(tls, 'server.crt')), key: await readFile(join(tls, 'server.key')) };
  const server = await serveHttps(options, answer);
  onTestFinished(() => server.close());
  return { server: server.url, serviceAccountDir: accountOf() };
};

const discovering = async (
  { list = empty, watch = open }: Answers,
  pace: Partial<PodPace> = {},
  { namespaces = ['a'], ...others }: Pick<Cluster, 'inTurn'> & { readonly namespaces?: readonly string[] } = {},
) => {
  const asked: URL[] = [];
  const cluster = await serving((request, response) => {
    const url = new URL(request.url ?? '', 'https://api');
    asked.push(url);
    response.on('error', () => undefined);
    (url.searchParams.has('watch') ? watch : list)(request, response);
  });
  const of = { ...cluster, ...others };
  const found = following((context) => watchPods({ namespaces }, context, { ...fast, ...pace }), of);
  const count = (isWatch: boolean): number => asked.filter(({ searchParams }) => searchParams.has('watch') === isWatch).length;
  return { ...found, asked, lists: () => count(false), watches: () => count(true) };
};

const filler = 'x'.repeat(280);

test.each<{ readonly where: string } & Answers>([
  {
    where: 'an error response',
    list: ({ headers }, response) => say(response, 401, { message: `sent ${headers.authorization} ${filler}` }),
  },
  {
    where: 'a watch',
    watch: ({ headers }, response) => {
      const object = { code: 500, message: `sent ${headers.authorization} ${filler}` };
      say(response, 200, { type: 'ERROR', object });
    },
  },
])('the token is masked if $where quotes it', async ({ where: _, ...answers }) => {
  const { fails, updates } = await discovering(answers);
  await fails(/sent Bearer \*\*\* x/);
  expect(JSON.stringify(updates)).not.toContain('secret');
});

test.each([
  { answers: 'sends endless 103 responses', line: 'HTTP/1.1 103 Early Hints\r\n\r\n' },
  { answers: 'sends endless 100 responses', line: 'HTTP/1.1 100 Continue\r\n\r\n' },
])('the request to a server that $answers fails', async ({ line }) => {
  const { fails } = await discovering({ list: (_request, { socket }) => socket?.write(line.repeat(2000)) });
  await fails(/more than 10 responses with a status 1xx/);
});

test('a watch that only sends line breaks ends after watchSeconds', async () => {
  const drips: RequestListener = (_request, response) => {
    response.writeHead(200).flushHeaders();
    const timer = setInterval(() => response.write('\n'), 10);
    response.on('close', () => clearInterval(timer));
  };
  const { watches } = await discovering({ watch: drips }, { watchSeconds: 0.1, deadlineMs: 1000 });
  await expect.poll(watches).toBeGreaterThan(1);
});

test('a list without a last page fails after a timeout', async () => {
  const page = { metadata: { resourceVersion: '1', continue: 'more' }, items: [] };
  // Delayed, because some dozens of pages are enough.
  const list: RequestListener = (_request, response) => void setTimeout(say, 50, response, 200, page);
  const { fails } = await discovering({ list }, { deadlineMs: 500 });
  await fails(/the list was not complete within 5000 ms/);
});

test.each<{ readonly how: string; readonly watch: RequestListener }>([
  { how: 'in its status', watch: (_request, response) => say(response, 400, { message: 'invalid resource version' }) },
  {
    how: 'in an event',
    watch: (_request, response) => say(response, 200, { type: 'ERROR', object: { code: 400, message: 'no' } }),
  },
])('a watch that is rejected $how starts with a list again', async ({ watch }) => {
  const { lists } = await discovering({ watch });
  await expect.poll(lists).toBeGreaterThan(1);
});

test.each<{ readonly how: string; readonly watch: RequestListener }>([
  { how: 'with the page of a gateway', watch: (_request, response) => void response.writeHead(200).end('<html>gateway</html>') },
  {
    how: 'with an error',
    watch: (_request, response) => say(response, 200, { type: 'ERROR', object: { code: 500, message: 'no' } }),
  },
  {
    how: 'with an event and an error',
    watch: (_request, response) => {
      response.writeHead(200);
      response.write(JSON.stringify({ type: 'BOOKMARK', object: { metadata: { resourceVersion: '2' } } }));
      response.end(JSON.stringify({ type: 'ERROR', object: { code: 500, message: 'no' } }));
    },
  },
])('a watch that opens and fails again and again $how is one line in the log, from the second failure on', async ({ watch }) => {
  let isWell = false;
  const { updates, watches, lists, recovers } = await discovering({
    watch: (request, response) => {
      if (!isWell) return watch(request, response);
      response.writeHead(200);
      response.write(JSON.stringify({ type: 'BOOKMARK', object: { metadata: { resourceVersion: '2' } } }));
    },
  });
  await expect.poll(watches, patience).toBeGreaterThan(4);
  const failures = updates.slice(updates.findIndex(({ kind }) => kind === 'failed'));
  expect(failures.map(({ kind }) => kind)).not.toContain('ok');
  const { toLog } = createFailureLog(() => 0);
  const lines = failures.map((one) => (one.kind === 'failed' ? toLog(one.faults).length : 0));
  expect([lines[0], lines.filter((count) => count > 0)]).toEqual([0, [1]]);
  expect(lists()).toBeGreaterThan(2);
  isWell = true;
  await recovers();
});

test('a watch that is always too old is retried with increasing waits', async () => {
  const times: number[] = [];
  await discovering({
    list: (request, response) => {
      times.push(performance.now());
      empty(request, response);
    },
    watch: (_request, response) => say(response, 410, {}),
  });
  const longest = (): number => Math.max(0, ...times.slice(1).map((at, nth) => at - (times[nth] ?? 0)));
  // 20, 40, 80, 160, 320 ms; starting again after a watch that took longer, on a machine that stalls.
  await expect.poll(longest).toBeGreaterThanOrEqual(310);
});

test('reading a response yields to the event loop after 10 ms of parsing', async () => {
  const cluster = await serving((_request, response) => response.end(' '.repeat(12 * 1024)));
  const pieces: number[] = [];
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    pieces.push(0);
    return work();
  };
  const data = (): undefined => {
    pieces.push((pieces.pop() ?? 0) + 1);
    for (const until = performance.now() + 10; performance.now() < until; );
  };
  const reading = { deadlineMs: 60_000, data };
  await exchange({ ...cluster, inTurn }, '/', new AbortController().signal, reading);
  const [toBegin, ...toRead] = pieces;
  expect(toBegin).toBe(0);
  expect(toRead.length).toBeGreaterThanOrEqual(3);
  expect(new Set(toRead)).toEqual(new Set([1]));
});

test('of a hundred namespaces, only one at a time starts a request or reads a response', async () => {
  const held = new AbortController();
  const inTurn = oneAtATime();
  void inTurn(() => once(held.signal, 'abort'));
  let turns = 0;
  const { updates, asked, lists } = await discovering(
    {},
    {},
    {
      namespaces: Array.from({ length: 100 }, (_, at) => `n${at}`),
      inTurn: (work) => {
        turns += 1;
        return inTurn(work);
      },
    },
  );
  await expect.poll(() => turns).toBe(100);
  expect(asked).toEqual([]);
  held.abort();
  await expect.poll(() => updates.at(-1)?.kind, patience).toBe('ok');
  expect(lists()).toBe(100);
  // One to start and one to read each list; the watches may have started, too.
  expect(turns).toBeGreaterThanOrEqual(200);
});
