// One request to the API server, read as it comes, within deadlines.

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
  /** Of the process; where it is absent, that of Node.js. */
  readonly lookup?: LookupFunction | undefined;
  /** Of all that ask it, one at a time begins, or reads for a turn of the event loop. */
  readonly inTurn?: ReturnType<typeof oneAtATime>;
}

export type ApiFault = {
  readonly kind: 'failed';
  /** From `exchange`, one line that holds no credential. */
  readonly reason: string;
  /** The same would be refused again. */
  readonly isRefused?: boolean;
};

/** Of a list or a watch that began too long ago. */
export interface Expired {
  readonly kind: 'expired';
}

interface ResponseReader {
  readonly deadlineMs: number;
  /** It ends so long after its head is there; absent: the deadline is for all of it. */
  readonly openMs?: number;
  readonly taken: () => void;
  /** How it ends with this; undefined: it goes on. */
  readonly data: (bytes: Buffer) => End | undefined;
}

export type End = { readonly kind: 'ended' } | Expired | ApiFault;

export const exchange = async (cluster: Cluster, path: string, signal: AbortSignal, reading: ResponseReader): Promise<End> => {
  const { server, serviceAccountDir, lookup, inTurn = oneAtATime() } = cluster;
  if (server === undefined) return failed('no API server: KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not set');
  try {
    const account = await credentialsOf({ serviceAccountDir });
    await inTurn(yieldToProbes);
    const end = await send(`${server}${path}`, { ...account, lookup, inTurn }, signal, reading);
    return end.kind === 'failed' ? { ...end, reason: shownOf(end.reason, account.token) } : end;
  } catch (error) {
    return failed(shownOf(`${serviceAccountDir}: ${codeOf(error)}`, ''));
  }
};

/** What a server or a proxy says may quote what it was sent. */
export const shownOf = (text: string, token: string): string =>
  printable(token === '' ? text : text.replaceAll(token, '***'), 300);

/** Of a token or a bundle of certificates. */
const maxFileBytes = 4 * 1024 * 1024;

export interface ServiceAccount {
  /** Bytes: as a text, an empty file would be no authority named, and so every public one. */
  readonly ca: Buffer;
  readonly token: string;
}

/** Read anew for each request, so that a renewed token or authority counts at once. */
export const credentialsOf = async ({ serviceAccountDir }: Pick<Cluster, 'serviceAccountDir'>): Promise<ServiceAccount> => ({
  ca: await readIn(serviceAccountDir, 'ca.crt'),
  // One that a person wrote has a line end.
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
  { ca, token, lookup, inTurn }: ServiceAccount & Pick<Cluster, 'lookup'> & Required<Pick<Cluster, 'inTurn'>>,
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
    const late = (): void => end(failed(`no answer within ${deadlineMs} ms`));
    const abort = (): void => end(failed('aborted'));
    const headers = { Authorization: `Bearer ${token}`, Accept: 'application/json', 'User-Agent': 'snowgauge' };
    const sent = request(url, { ca, headers, lookup, agent: false }, (response) => {
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
        end(openMs === undefined ? failed(codeOf(error)) : { kind: 'ended' }),
      );
    });
    let timer = setTimeout(late, deadlineMs);
    sent.on('error', (error) => end(failed(codeOf(error))));
    boundInformational(sent, (reason) => {
      stopParsing(sent.socket);
      end(failed(reason));
    });
    signal.addEventListener('abort', abort, { once: true });
    if (signal.aborted) abort();
    else sent.end();
  });

/** Bytes that are read at a time, and the longest turn of the event loop: small objects take most of both. */
const pieceBytes = 4096;
const longestTurnMs = 10;

/** With what else is ready between turns. Rejects where the response breaks off: a watch has then ended, a page is not whole. */
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

/** What a Status says, of the first bytes of the body. */
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
