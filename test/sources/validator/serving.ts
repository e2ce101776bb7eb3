// Serves the captured answers of a node; a test can replace an answer by method.

import { readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { onTestFinished } from 'vitest';
import { type Log, silentLog } from '../../../src/log.ts';
import type { TargetOptions } from '../../../src/snapshot/options.ts';
import { capturesOf } from '../../support/replay.ts';
import { serveHttp } from '../../support/serve.ts';
import { watch } from '../../support/watching.ts';

/** The result, an error, or a function that writes the response. */
export type Reply =
  | { readonly result: unknown }
  | { readonly error: string }
  | ((response: ServerResponse, params: Params) => unknown);

export interface Params {
  readonly subnetID?: string;
  readonly nodeIDs?: readonly string[];
  readonly validationID?: string;
}

export const own = 'NodeID-7Xhw2mDxuDS44j42TCB6U5579esbSt3Lg';
export const captureStates = ['genesis-validator', 'two-validators-first'] as const;
export type CaptureState = (typeof captureStates)[number];

/** Answer to `platform.getCurrentValidators` for its own NodeID, the same in both states. */
const ownRecord = readFileSync(new URL('../../fixtures/validators/own-record.json', import.meta.url), 'utf8');

interface Asked {
  readonly method: string;
  readonly params: Params;
}

/** What a real node in this state answered, by method. The first capture of a method counts. */
const capturedIn = (state: CaptureState): ReadonlyMap<string, string> =>
  new Map(
    capturesOf(state)
      .filter(({ request }) => request.method === 'POST')
      .map(({ request, answer }) => [(JSON.parse(request.body ?? '{}') as Asked).method, answer.body] as const)
      .reverse(),
  );

const answerTo = (captured: ReadonlyMap<string, string>, { method, params }: Asked): string => {
  const isOwn = method === 'platform.getCurrentValidators' && params.subnetID === undefined && params.nodeIDs?.[0] === own;
  return isOwn ? ownRecord : (captured.get(method) ?? '');
};

/** When the captures were taken. */
export const captured = Date.UTC(2026, 10, 22, 1, 53, 4) / 1000;

export const servingCapture = async (
  state: CaptureState,
  lies: Readonly<Record<string, Reply>> = {},
  {
    percentConnected = 1,
    header = true,
    timeoutMs = 60_000,
    log = silentLog,
    ...over
  }: Partial<TargetOptions> & { percentConnected?: number | null; header?: boolean; timeoutMs?: number; log?: Log } = {},
) => {
  const bodies = capturedIn(state);
  const consensus = { lastAcceptedHeight: 3, lastAcceptedID: '2SUG', longestProcessingBlock: '0s', processingBlocks: 0 };
  let [now, told, connected, nodeId] = [captured, lies, percentConnected, own];
  const asked: Asked[] = [];
  const served = await serveHttp(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    response.setHeader('content-type', 'application/json');
    response.setHeader('date', new Date(now * 1000).toUTCString());
    if (header) response.setHeader('node-id', nodeId);
    if (request.url !== '/ext/info' && request.url !== '/ext/bc/P') {
      const networking = { disconnectedValidators: [], percentConnected: connected };
      const message = { engine: { consensus, vm: null }, networking };
      // A check has no message before its first run.
      const check = connected === null ? { message: null, error: 'not yet run' } : { message };
      return response.end(JSON.stringify({ checks: { P: check }, healthy: true }));
    }
    const question = JSON.parse(Buffer.concat(chunks).toString()) as Asked;
    asked.push(question);
    const lie = told[question.method];
    if (lie === undefined) return response.end(answerTo(bodies, question));
    if (typeof lie === 'function') return lie(response, question.params);
    const error = 'error' in lie ? { error: { code: -32000, message: lie.error, data: null } } : lie;
    return response.end(JSON.stringify({ jsonrpc: '2.0', id: 1, ...error }));
  });
  onTestFinished(() => served.close());
  const watching = watch(served.url, () => now, { indexes: [], info: false, ...over }, { timeoutMs }, { log });
  return {
    watching,
    /** Each request as its method, with the subnet if it has one. */
    asked: () => asked.map(({ method, params }) => [method, params.subnetID].filter((one) => one !== undefined).join(' ')),
    params: (): readonly Params[] => asked.map(({ params }) => params),
    lie: (to: Readonly<Record<string, Reply>>, percent = connected) => {
      [told, connected] = [to, percent];
      asked.length = 0;
    },
    /** From now on, another node is at the target. */
    rename: (to: string) => {
      nodeId = to;
    },
    pollAfter: (seconds: number) => {
      now += seconds;
      return watching.poll();
    },
    /** The series of the validator families as `name{labels}: value`, in the order of the page. */
    series: async (): Promise<readonly string[]> =>
      (await watching.page())
        .filter(({ name }) => /^snowgauge_(?:node_uptime|validator|target_validator|l1)_/.test(name))
        .map(({ name, labels, value }) => {
          const rest = [...labels].filter(([label]) => label !== 'target').map(([label, text]) => `${label}=${text}`);
          return `${name.replace('snowgauge_', '')}${rest.length > 0 ? `{${rest.join()}}` : ''}: ${value}`;
        }),
    rewardState: async (): Promise<string | undefined> =>
      (await watching.page())
        .find(({ name, value }) => name === 'snowgauge_validator_reward_state' && value === 1)
        ?.labels.get('state'),
  };
};
