// Sends one request to the API server, and reads the response as a stream, within deadlines.

import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import type { LookupFunction } from 'node:net';
import { boundInformational, stopParsing } from '../informational.ts';
import { oneAtATime, yieldToProbes } from '../pause.ts';
import { readWhole } from '../regular-file.ts';
import { codeOf, parsedJson, printable } from '../text.ts';
import { isTlsCode, unspecified } from '../tls-codes.ts';
import type { FailedOutcome } from './outcome.ts';

export interface Cluster {
  /** Undefined outside of a pod. */
  readonly server: string | undefined;
  readonly serviceAccountDir: string;
  /** DNS lookup of the process. Default: that of Node.js. */
  readonly lookup?: LookupFunction | undefined;
  /** Shared by all requests of a process: one at a time starts, or reads for one turn of the event loop. */
  readonly inTurn?: ReturnType<typeof oneAtATime>;
}

export type ApiFault = {
  readonly kind: 'failed';
  readonly outcome: FailedOutcome;
  /** From `exchange`: one line without credentials. */
  readonly reason: string;
  /** True if the server would refuse the same request again. */
  readonly isRefused?: boolean;
};

/** The resource version of a list or a watch is too old (status 410). */
export interface Expired {
  readonly kind: 'expired';
}

interface RequestOptions {
  /** A merge patch as JSON. Absent: a GET. */
  readonly patch?: string;
  readonly deadlineMs: number;
  /** Limits TCP connect and TLS handshake. Default: the deadline. */
  readonly connectMs?: number;
  /** The response ends this long after its headers. Default: the deadline limits the whole response. */
  readonly openMs?: number;
  /** Called when the server has accepted the request. */
  readonly taken?: () => void;
  /** Returns how the exchange ends, or undefined to continue. */
  readonly data: (bytes: Buffer) => End | undefined;
}

export type End = { readonly kind: 'ended' } | Expired | ApiFault;

export const exchange = async (cluster: Cluster, path: string, signal: AbortSignal, options: RequestOptions): Promise<End> => {
  const { server, serviceAccountDir, inTurn = oneAtATime() } = cluster;
  if (server === undefined) return failed('no API server: KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not set');
  try {
    const account = await credentialsOf({ serviceAccountDir });
    await inTurn(yieldToProbes);
    const end = await send({ ...cluster, server, inTurn }, account, path, signal, options);
    return end.kind === 'failed' ? { ...end, reason: shownOf(end.reason, account.token) } : end;
  } catch (error) {
    // The files cannot be read, or do not contain a token and certificates. The error shows the content of neither.
    return failed(shownOf(`${serviceAccountDir}: ${codeOf(error)}`, ''), 'unreachable');
  }
};

/** Why a server was not reached, with its address and what to check. */
const unreached = (reason: string, { server, serviceAccountDir }: Cluster, isUntrusted = false): ApiFault => {
  const toCheck = isUntrusted
    ? `KUBERNETES_SERVICE_HOST and ${serviceAccountDir}/ca.crt`
    : 'KUBERNETES_SERVICE_HOST, KUBERNETES_SERVICE_PORT and the network policies of the pod';
  return failed(`${reason} (API server ${server}): check ${toCheck}`, isUntrusted ? 'tls' : 'unreachable');
};

/** The certificate of the server is not verified by `ca.crt`, or the server does not use TLS, or the connection failed. */
const brokenOff = (error: unknown, cluster: Cluster): ApiFault => {
  const code = codeOf(error);
  const reason = code === unspecified && error instanceof Error ? error.message : code;
  return unreached(reason, cluster, isTlsCode(code));
};

/** Removes the token: a server or a proxy may quote the request in its response. */
const shownOf = (text: string, token: string): string => printable(token === '' ? text : text.replaceAll(token, '***'), 300);

/** Limit for a token or a bundle of certificates. */
const maxFileBytes = 4 * 1024 * 1024;

interface ServiceAccount {
  /** Bytes, because Node.js ignores an empty text and would trust every public authority. */
  readonly ca: Buffer;
  readonly token: string;
}

/** Reads the files for each request, so that a renewed token or CA certificate is used at once. */
const credentialsOf = async ({ serviceAccountDir }: Pick<Cluster, 'serviceAccountDir'>): Promise<ServiceAccount> => ({
  ca: await readIn(serviceAccountDir, 'ca.crt'),
  // A file written by hand ends with a newline.
  token: (await readIn(serviceAccountDir, 'token')).toString().trim(),
});

const readIn = async (folder: string, name: string): Promise<Buffer> => {
  try {
    return await readWhole(`${folder}/${name}`, maxFileBytes);
  } catch (error) {
    throw new Error(`${name}: ${codeOf(error)}`);
  }
};

export const failed = (reason: string, outcome: FailedOutcome = 'malformed'): ApiFault => ({ kind: 'failed', outcome, reason });

const outcomes: ReadonlyMap<number, FailedOutcome> = new Map([
  [401, 'unauthorized'],
  [403, 'forbidden'],
  [404, 'not-found'],
  // Responses of a proxy or a load balancer whose server is down.
  [502, 'unreachable'],
  [503, 'unreachable'],
  [504, 'unreachable'],
]);

const send = (
  cluster: Cluster & Required<Pick<Cluster, 'inTurn'>>,
  { ca, token }: ServiceAccount,
  path: string,
  signal: AbortSignal,
  { patch, deadlineMs, connectMs = deadlineMs, openMs, taken, data }: RequestOptions,
): Promise<End> =>
  new Promise((resolve) => {
    const { server, lookup, inTurn } = cluster;
    let isOver = false;
    // Each request has its own connection, which is closed after it: a kept connection may be dead after a network failure.
    const end = (outcome: End): void => {
      isOver = true;
      clearTimeout(timer);
      clearTimeout(connecting);
      signal.removeEventListener('abort', abort);
      resolve(outcome);
      sent.destroy();
    };
    const late = (): void => end(failed(`no response within ${deadlineMs} ms (API server ${server})`, 'timeout'));
    const unconnected = (): void => end(unreached(`no connection within ${connectMs} ms`, cluster));
    const abort = (): void => end(failed('aborted', 'unreachable'));
    const headers = {
      Authorization: `Bearer ${token}`,
      Accept: 'application/json',
      'User-Agent': 'snowgauge',
      ...(patch !== undefined && {
        'Content-Type': 'application/merge-patch+json',
        'Content-Length': Buffer.byteLength(patch),
      }),
    };
    const method = patch === undefined ? 'GET' : 'PATCH';
    const sent = request(
      `${server}${path}`,
      { method, ca, allowPartialTrustChain: true, headers, lookup, agent: false },
      (response) => {
        const status = response.statusCode ?? 0;
        if (status !== 200) {
          const isRefused = status >= 400 && status < 500 && status !== 429;
          void messageOf(response).then((message) =>
            end(
              status === 410
                ? { kind: 'expired' }
                : { ...failed(`status ${status}${message}`, outcomes.get(status) ?? 'http-status'), isRefused },
            ),
          );
          return;
        }
        taken?.();
        if (openMs !== undefined && !isOver) {
          clearTimeout(timer);
          timer = setTimeout(() => end({ kind: 'ended' }), openMs);
        }
        void read(response, inTurn, (bytes) => (isOver ? { kind: 'ended' } : data(bytes))).then(end, (error) =>
          end(openMs === undefined ? brokenOff(error, cluster) : { kind: 'ended' }),
        );
      },
    );
    // Before `timer`, so that it fires first if both have the same limit.
    const connecting = setTimeout(unconnected, connectMs);
    let timer = setTimeout(late, deadlineMs);
    sent.on('socket', (socket) => socket.once('secureConnect', () => clearTimeout(connecting)));
    sent.on('error', (error) => end(brokenOff(error, cluster)));
    boundInformational(sent, (reason) => {
      stopParsing(sent.socket);
      end(failed(reason));
    });
    signal.addEventListener('abort', abort, { once: true });
    if (signal.aborted) abort();
    else sent.end(patch);
  });

/** Bytes per read, and maximum length of an event loop turn. Both are reached mainly with many small objects. */
const pieceBytes = 4096;
const longestTurnMs = 10;

/** Yields to other work between turns. Rejects if the response is cut off: that ends a watch, but makes a page incomplete. */
const read = async (
  response: IncomingMessage,
  inTurn: NonNullable<Cluster['inTurn']>,
  data: RequestOptions['data'],
): Promise<End> => {
  for await (const chunk of response) {
    let at = 0;
    const turn = async (): Promise<End | undefined> => {
      const until = performance.now() + longestTurnMs;
      do {
        const end = data(chunk.subarray(at, at + pieceBytes));
        if (end !== undefined) return end;
        at += pieceBytes;
      } while (at < chunk.length && performance.now() < until);
      await yieldToProbes();
      return undefined;
    };
    while (at < chunk.length) {
      const end = await inTurn(turn);
      if (end !== undefined) return end;
    }
  }
  return { kind: 'ended' };
};

/** The message of a Status object, from the first bytes of the body. */
const messageOf = async (response: IncomingMessage): Promise<string> => {
  let text = '';
  try {
    for await (const chunk of response) {
      text += String(chunk);
      if (text.length > 20_000) break;
    }
  } catch {
    return '';
  }
  const message = member(parsedJson(text), 'message');
  return typeof message === 'string' ? `: ${message}` : '';
};

export const member = (value: unknown, key: string): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined;
