// The sync of the pod's labels with a clock that tests advance, and a stand-in for the API server over real TLS.

import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished } from 'vitest';
import type { Status, Targets } from '../../src/conditions/condition.ts';
import { podPatcher } from '../../src/kubernetes/api.ts';
import { type KeeperDependencies, type KeeperOptions, keepPodLabels } from '../../src/kubernetes/keeper.ts';
import type { PatchPod } from '../../src/kubernetes/outcome.ts';
import type { Log } from '../../src/log.ts';
import { patience } from './run-process.ts';
import { type Served, serveHttps } from './serve.ts';
import { fresh, judged, noon, passing, report, targetKnowing, targetOptions } from './snapshot.ts';

export const tls = fileURLToPath(new URL('../fixtures/tls/', import.meta.url));

/** The mounted service account. */
export const accountOf = (token = 'secret-token', ca = 'ca.crt'): string => {
  const folder = mkdtempSync(join(tmpdir(), 'snowgauge-account-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'token'), token);
  cpSync(join(tls, ca), join(folder, 'ca.crt'));
  return folder;
};

export interface Taken {
  readonly authorization: string;
  readonly type: string;
  readonly path: string | undefined;
  readonly body: { readonly metadata: { readonly labels: Record<string, string | null>; readonly annotations: object } };
}

/** Records requests and answers with `answer`. */
export const serveApi = async (
  answer: RequestListener,
  certificate = 'server',
): Promise<Served & { readonly taken: readonly Taken[] }> => {
  const taken: Taken[] = [];
  const options = {
    cert: await readFile(join(tls, `${certificate}.crt`)),
    key: await readFile(join(tls, `${certificate}.key`)),
  };
  const served = await serveHttps(options, (request: IncomingMessage, response: ServerResponse) => {
    let text = '';
    request.on('data', (chunk: Buffer) => {
      text += chunk.toString();
    });
    request.on('end', () => {
      const { authorization = '', 'content-type': type = '' } = request.headers;
      taken.push({ authorization, type, path: request.url, body: JSON.parse(text) });
      answer(request, response);
    });
  });
  onTestFinished(() => served.close());
  return { ...served, taken };
};

export const json = (status: number, body: unknown): RequestListener => {
  return (_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  };
};

/** Applies patches. `reply` replaces the response to the n-th request, counted from 1. */
export const obedient = async (
  reply: (count: number, answer: () => void, response: ServerResponse) => void = (_count, answer) => answer(),
) => {
  const labels: Record<string, string> = {};
  const api: Awaited<ReturnType<typeof serveApi>> = await serveApi((request, response) => {
    for (const [key, value] of Object.entries(api.taken.at(-1)?.body.metadata.labels ?? {})) {
      if (value === null) delete labels[key];
      else labels[key] = value;
    }
    reply(api.taken.length, () => json(200, { metadata: { labels } })(request, response), response);
  });
  return { api, labels };
};

export interface Kept {
  readonly keeper: ReturnType<typeof keepPodLabels>;
  readonly said: readonly string[];
  readonly condition: (status: Status) => void;
  readonly pass: (seconds: number) => void;
  /** Resolves after some more iterations in which it could have patched. */
  readonly hasLooked: () => Promise<void>;
  readonly stop: () => Promise<void>;
}

interface Pace extends NonNullable<KeeperDependencies['within']> {
  readonly connect: number;
}

/** Long delays for a machine that stalls; with a fixed clock a failed patch is not retried. */
const patient: Pace = { first: 280_000, longest: 280_000, last: 280_000, connect: 280_000 };

interface Keeping extends Partial<KeeperOptions> {
  /** Seconds that pass in addition to those of the test. */
  readonly flows?: () => number;
  readonly pace?: Partial<Pace>;
  readonly patch?: PatchPod;
}

/** Syncs the labels of a ready target. */
export const keep = (server: string, { flows = () => 0, pace, patch, ...over }: Keeping = {}): Kept => {
  const { connect, ...within } = { ...patient, ...pace };
  let passed = noon;
  const now = (): number => passed + flows();
  const { state, conditions } = judged(
    targetKnowing(targetOptions(), {
      health: { all: fresh(report({ P: passing() })) },
      lastPoll: { at: noon, answered: true, failures: [] },
    }),
  );
  const ready = (status: Status): Targets => {
    const said = { status, reason: 'ChecksPassing', message: '', failureReasons: [] } as const;
    const all = { ...conditions, ready: new Map([['all', said]]), trueUntil: Number.POSITIVE_INFINITY };
    return new Map([['node', { state, conditions: all }]]);
  };
  let targets = ready('True');
  let looks = 0;
  const said: string[] = [];
  const write: Log['info'] = (fields, message) => said.push(`${message} ${JSON.stringify(fields)}`);
  const stop = new AbortController();
  const keeper = keepPodLabels(
    { onShutdown: 'clear', confirmEvery: 60, ...over },
    {
      targets: () => {
        looks += 1;
        return targets;
      },
      patch: patch ?? podPatcher({ server, serviceAccountDir: accountOf(), namespace: 'default', name: 'node-0' }, connect),
      now,
      steadyNow: now,
      log: { debug: write, info: write, warn: write, error: write },
      signal: stop.signal,
      random: () => 0.5,
      within,
    },
  );
  const end = async (): Promise<void> => {
    stop.abort();
    await keeper.finished;
  };
  onTestFinished(end);
  return {
    keeper,
    said,
    condition: (next) => {
      targets = ready(next);
    },
    pass: (seconds) => {
      passed += seconds;
    },
    hasLooked: async () => {
      const before = looks;
      await expect.poll(() => looks, patience).toBeGreaterThan(before + 2);
    },
    stop: end,
  };
};

export const label = 'ready.snowgauge.io/all';
