// A cache of replies. One event tells every open page to request new data, so many clients request the same reply at the same time: it
// is rendered once, and compressed once, in a thread of zlib.

import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { gzipFor } from '../metrics/negotiate.ts';
import { level } from '../metrics/pieces.ts';
import { yieldToEventLoop } from '../pause.ts';
import { plainText, type Reply } from './reply.ts';

/** A request, and how to make a reply to it. */
export interface Sought {
  /** Cache key: the path, the parameters that it reads, and whatever else the reply depends on. */
  readonly key: string;
  /** What the reply is made from: a cached reply is valid while all of these are the same values. */
  readonly madeOf: () => readonly unknown[];
  readonly make: () => Reply | Promise<Reply>;
}

export interface RepliesOptions {
  /** Cached replies. */
  readonly maxReplies?: number;
  readonly maxBytes?: number;
  /** Different requests that may wait at a time. */
  readonly maxWaiting?: number;
  /** Milliseconds after the last new reply until the cache is cleared: no reply is valid for longer than a second. */
  readonly keptMs?: number;
}

export type Replies = (question: Sought, acceptEncoding: string | undefined) => Promise<Reply>;

interface CachedReply {
  readonly madeOf: readonly unknown[];
  readonly plain: Promise<Reply>;
  gzipped?: Promise<Reply>;
  bytes: number;
}

/** Bytes of replies sent per iteration of the event loop: the kernel copies them for each connection, which blocks the event loop. */
const maxBytesPerIteration = 1024 * 1024;

/**
 * Replies are rendered one at a time. A fleet changes while it is rendered, so a request that arrives meanwhile may need a newer reply: it
 * waits for the next one, together with all others for the same key.
 */
export const createReplies = ({
  maxReplies = 64,
  maxBytes = 8 * 1024 * 1024,
  maxWaiting = 512,
  keptMs = 2000,
}: RepliesOptions = {}): Replies => {
  /** By key, least recently used first. Only the last one may exceed the limits. */
  const cached = new Map<string, CachedReply>();
  const waiting = new Map<string, Promise<CachedReply>>();
  let rendering: Promise<unknown> = Promise.resolve();
  let expiry: NodeJS.Timeout | undefined;
  const handOut = createHandOut();

  const evict = (): void => {
    let bytes = Array.from(cached.values()).reduce((sum, reply) => sum + reply.bytes, 0);
    for (const [key, reply] of cached) {
      if (cached.size <= 1 || (cached.size <= maxReplies && bytes <= maxBytes)) return;
      cached.delete(key);
      bytes -= reply.bytes;
    }
  };
  const found = ({ key, madeOf }: Sought): CachedReply | undefined => {
    const reply = cached.get(key);
    if (reply === undefined) return undefined;
    const now = madeOf();
    if (!reply.madeOf.every((part, at) => part === now[at])) return undefined;
    // Move it to the end: it is the most recently used.
    cached.delete(key);
    cached.set(key, reply);
    return reply;
  };
  const start = (question: Sought): CachedReply => {
    const madeOf = question.madeOf();
    const reply: CachedReply = { madeOf, plain: Promise.resolve(question.make()).then(asBytes), bytes: 0 };
    cached.delete(question.key);
    cached.set(question.key, reply);
    void reply.plain.then(({ body }) => {
      reply.bytes += body.length;
      evict();
    });
    clearTimeout(expiry);
    expiry = setTimeout(() => cached.clear(), keptMs).unref();
    return reply;
  };
  const next = (question: Sought): Promise<CachedReply> | undefined => {
    const { key } = question;
    const joined = waiting.get(key);
    if (joined !== undefined || waiting.size >= maxWaiting) return joined;
    const one = rendering.then(yieldToEventLoop).then(() => {
      waiting.delete(key);
      return found(question) ?? start(question);
    });
    waiting.set(key, one);
    rendering = one.then(({ plain }) => plain);
    return one;
  };
  return async (question, acceptEncoding) => {
    const reply = found(question) ?? (await next(question));
    if (reply === undefined) return busy;
    const takesGzip = gzipFor(acceptEncoding);
    if (takesGzip) reply.gzipped ??= reply.plain.then(compressed);
    const encoded = await (takesGzip && reply.gzipped !== undefined ? reply.gzipped : reply.plain);
    await handOut(encoded.body.length);
    return encoded;
  };
};

/** Resolves in an iteration of the event loop in which that many more bytes may be sent. */
const createHandOut = () => {
  let used = 0;
  let turn: Promise<void> | undefined;
  return async (bytes: number): Promise<void> => {
    while (turn !== undefined && used + bytes > maxBytesPerIteration) await turn;
    used += bytes;
    turn ??= yieldToEventLoop().then(() => {
      used = 0;
      turn = undefined;
    });
  };
};

/** Only the parameters that a path reads, in a fixed order: others do not change the reply, so they must not change the key. */
export const relevant = (query: string, names: readonly string[]): URLSearchParams => {
  const params = new URLSearchParams(query);
  return new URLSearchParams(names.flatMap((name) => params.getAll(name).map((value): [string, string] => [name, value])));
};

const asBytes = ({ body, ...reply }: Reply): Reply => ({ ...reply, body: typeof body === 'string' ? Buffer.from(body) : body });

const compress = promisify(gzip);

const compressed = async ({ status, headers, body }: Reply): Promise<Reply> =>
  body instanceof Uint8Array
    ? { status, headers: { ...headers, 'Content-Encoding': 'gzip' }, body: await compress(body, { level }) }
    : { status, headers, body };

const busy: Reply = plainText(503, 'too many different requests: try again later\n', { 'Retry-After': '1' });
