// Replies as bytes, kept for as long as they are true. Who watches asks at the same moment, because one event tells them all: they get
// the same bytes, made once, and compressed once, beside the event loop.

import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { gzipFor } from '../metrics/negotiate.ts';
import { level } from '../metrics/pieces.ts';
import { yieldToEventLoop } from '../pause.ts';
import { plainText, type Reply } from './reply.ts';

/** What was asked, and how it is answered now. */
export interface Sought {
  /** Its path, what of its query that path reads, and whatever else makes it another reply. */
  readonly key: string;
  /** What a reply is made of: it is true for as long as all of it is the same. */
  readonly madeOf: () => readonly unknown[];
  readonly make: () => Reply | Promise<Reply>;
}

export interface RepliesOptions {
  readonly most?: number;
  readonly maxBytes?: number;
  /** Different questions that may wait at a time. */
  readonly maxWaiting?: number;
  /** Milliseconds after the last reply was made in which all of them are let go: none is true for longer than a second. */
  readonly keptMs?: number;
}

export type Replies = (question: Sought, acceptEncoding: string | undefined) => Promise<Reply>;

interface Made {
  readonly madeOf: readonly unknown[];
  readonly plain: Promise<Reply>;
  small?: Promise<Reply>;
  bytes: number;
}

/** Bytes that are handed out in one turn of the event loop: the kernel takes a copy of them for each connection. */
const bytesInOneTurn = 1024 * 1024;

/**
 * One is made at a time: a fleet changes while it is rendered, and who asks meanwhile waits for the next one, together with all others.
 */
export const createReplies = ({
  most = 64,
  maxBytes = 8 * 1024 * 1024,
  maxWaiting = 512,
  keptMs = 2000,
}: RepliesOptions = {}): Replies => {
  /** By key, what was asked for longest ago first: none but the last may exceed the bounds. */
  const kept = new Map<string, Made>();
  const waiting = new Map<string, Promise<Made>>();
  let making: Promise<unknown> = Promise.resolve();
  let forgetting: NodeJS.Timeout | undefined;
  const handOut = createHandOut();

  const bound = (): void => {
    let bytes = Array.from(kept.values()).reduce((sum, made) => sum + made.bytes, 0);
    for (const [key, made] of kept) {
      if (kept.size <= 1 || (kept.size <= most && bytes <= maxBytes)) return;
      kept.delete(key);
      bytes -= made.bytes;
    }
  };
  const found = ({ key, madeOf }: Sought): Made | undefined => {
    const made = kept.get(key);
    if (made === undefined) return undefined;
    const now = madeOf();
    if (!made.madeOf.every((part, at) => part === now[at])) return undefined;
    // What is asked for often stays.
    kept.delete(key);
    kept.set(key, made);
    return made;
  };
  const begun = (question: Sought): Made => {
    const madeOf = question.madeOf();
    const made: Made = { madeOf, plain: Promise.resolve(question.make()).then(asBytes), bytes: 0 };
    kept.delete(question.key);
    kept.set(question.key, made);
    void made.plain.then(({ body }) => {
      made.bytes += body.length;
      bound();
    });
    clearTimeout(forgetting);
    forgetting = setTimeout(() => kept.clear(), keptMs).unref();
    return made;
  };
  const next = (question: Sought): Promise<Made> | undefined => {
    const { key } = question;
    const joined = waiting.get(key);
    if (joined !== undefined || waiting.size >= maxWaiting) return joined;
    const one = making.then(yieldToEventLoop).then(() => {
      waiting.delete(key);
      return found(question) ?? begun(question);
    });
    waiting.set(key, one);
    making = one.then(({ plain }) => plain);
    return one;
  };
  return async (question, acceptEncoding) => {
    const made = found(question) ?? (await next(question));
    if (made === undefined) return busy;
    const isSmall = gzipFor(acceptEncoding);
    if (isSmall) made.small ??= made.plain.then(compressed);
    const reply = await (isSmall && made.small !== undefined ? made.small : made.plain);
    await handOut(reply.body.length);
    return reply;
  };
};

/** Resolves in a turn of the event loop in which so many bytes more may be sent. */
const createHandOut = () => {
  let used = 0;
  let turn: Promise<void> | undefined;
  return async (bytes: number): Promise<void> => {
    while (turn !== undefined && used + bytes > bytesInOneTurn) await turn;
    used += bytes;
    turn ??= yieldToEventLoop().then(() => {
      used = 0;
      turn = undefined;
    });
  };
};

/** What of a query a path reads, in one order: other parameters make no other reply. */
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
