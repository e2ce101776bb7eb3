// Sends one request to the API server, and reads the response as a stream, within deadlines.

import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import type { LookupFunction } from 'node:net';
import { boundInformational, stopParsing } from '../informational.ts';
import { oneAtATime, yieldToProbes } from '../pause.ts';
import { readWhole } from '../regular-file.ts';
import { codeOf, parsedJson, printable } from '../text.ts';

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
  /** From `exchange`: one line without credentials. */
  readonly reason: string;
  /** True if the server would refuse the same request again. */
  readonly isRefused?: boolean;
};

/** The resource version of a list or a watch is too old (status 410). */
export interface Expired {
  readonly kind: 'expired';
}

interface ResponseReader {
  readonly deadlineMs: number;
  /** The response ends this long after its headers. Default: the deadline limits the whole response. */
  readonly openMs?: number;
  readonly taken: () => void;
  /** Returns how the exchange ends, or undefined to continue. */
  readonly data: (bytes: Buffer) => End | undefined;
}

export type End = { readonly kind: 'ended' } | Expired | ApiFault;

export const exchange = async (cluster: Cluster, path: string, signal: AbortSignal, reading: ResponseReader): Promise<End> => {
  const { server, serviceAccountDir, lookup, inTurn = oneAtATime() } = cluster;
  if (server === undefined) return failed('no API server: KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not set');
  try {
    const account = await credentialsOf({ serviceAccountDir });
    await inTurn(yieldToProbes);
    const unreached = unreachedBy(cluster);
    const end = await send(`${server}${path}`, { ...account, lookup, inTurn, unreached }, signal, reading);
    return end.kind === 'failed' ? { ...end, reason: shownOf(end.reason, account.token) } : end;
  } catch (error) {
    return failed(shownOf(`${serviceAccountDir}: ${codeOf(error)}`, ''));
  }
};

/** Error codes of Node.js and OpenSSL for a server whose certificate `ca.crt` does not verify, or that does not use TLS. */
export const untrustedApi = /^(?:ERR_TLS_|ERR_SSL_|EPROTO$|CERT_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_)/;

/** Why a server was not reached, with its address and what to check. */
const unreachedBy =
  ({ server, serviceAccountDir }: Cluster) =>
  (reason: string): string => {
    const toCheck = untrustedApi.test(reason)
      ? `KUBERNETES_SERVICE_HOST and ${serviceAccountDir}/ca.crt`
      : 'KUBERNETES_SERVICE_HOST, KUBERNETES_SERVICE_PORT and the network policies of the pod';
    return `${reason} (API server ${server}): check ${toCheck}`;
  };

/** Removes the token: a server or a proxy may quote the request in its response. */
export const shownOf = (text: string, token: string): string =>
  printable(token === '' ? text : text.replaceAll(token, '***'), 300);

/** Limit for a token or a bundle of certificates. */
const maxFileBytes = 4 * 1024 * 1024;

export interface ServiceAccount {
  /** Bytes, because Node.js ignores an empty text and would trust every public authority. */
  readonly ca: Buffer;
  readonly token: string;
}

/** Reads the files for each request, so that a renewed token or CA certificate is used at once. */
export const credentialsOf = async ({ serviceAccountDir }: Pick<Cluster, 'serviceAccountDir'>): Promise<ServiceAccount> => ({
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

export const failed = (reason: string): ApiFault => ({ kind: 'failed', reason });

const send = (
  url: string,
  {
    ca,
    token,
    lookup,
    inTurn,
    unreached,
  }: ServiceAccount &
    Pick<Cluster, 'lookup'> &
    Required<Pick<Cluster, 'inTurn'>> & { readonly unreached: ReturnType<typeof unreachedBy> },
  signal: AbortSignal,
  { deadlineMs, openMs, taken, data }: ResponseReader,
): Promise<End> =>
  new Promise((resolve) => {
    let isOver = false;
    const end = (outcome: End): void => {
      isOver = true;
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
      resolve(outcome);
      sent.destroy();
    };
    const late = (): void => end(failed(unreached(`no response within ${deadlineMs} ms`)));
    const abort = (): void => end(failed('aborted'));
    const headers = { Authorization: `Bearer ${token}`, Accept: 'application/json', 'User-Agent': 'snowgauge' };
    const sent = request(url, { ca, allowPartialTrustChain: true, headers, lookup, agent: false }, (response) => {
      const status = response.statusCode ?? 0;
      if (status !== 200) {
        const isRefused = status >= 400 && status < 500 && status !== 429;
        void messageOf(response).then((message) =>
          end(status === 410 ? { kind: 'expired' } : { ...failed(`status ${status}${message}`), isRefused }),
        );
        return;
      }
      taken();
      if (openMs !== undefined && !isOver) {
        clearTimeout(timer);
        timer = setTimeout(() => end({ kind: 'ended' }), openMs);
      }
      void read(response, inTurn, (bytes) => (isOver ? { kind: 'ended' } : data(bytes))).then(end, (error) =>
        end(openMs === undefined ? failed(unreached(codeOf(error))) : { kind: 'ended' }),
      );
    });
    let timer = setTimeout(late, deadlineMs);
    sent.on('error', (error) => end(failed(unreached(codeOf(error)))));
    boundInformational(sent, (reason) => {
      stopParsing(sent.socket);
      end(failed(reason));
    });
    signal.addEventListener('abort', abort, { once: true });
    if (signal.aborted) abort();
    else sent.end();
  });

/** Bytes per read, and maximum length of an event loop turn. Both are reached mainly with many small objects. */
const pieceBytes = 4096;
const longestTurnMs = 10;

/** Yields to other work between turns. Rejects if the response is cut off: that ends a watch, but makes a page incomplete. */
const read = async (
  response: IncomingMessage,
  inTurn: NonNullable<Cluster['inTurn']>,
  data: ResponseReader['data'],
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
