// One report: of a node, or out of a file.

import { createReadStream } from 'node:fs';
import { type Client, type ClientHooks, createClient } from '../client/client.ts';
import { fileFault } from '../client/files.ts';
import { describe } from '../client/outcome.ts';
import type { HealthReport } from '../protocol/health.ts';
import { readSaved } from '../report/saved.ts';
import { printable } from '../text.ts';
import type { Asking } from './ask-options.ts';
import type { CommandContext } from './context.ts';

export type Obtained =
  | { readonly kind: 'ok'; readonly report: HealthReport }
  /** Nobody can say how the node is. */
  | { readonly kind: 'no-report'; readonly message: string }
  /** The operator's error. */
  | { readonly kind: 'unreadable'; readonly message: string };

/** Runs `work` with a client, and ends its connections; where the signal comes first, every question ends at once. */
export const withClient = async <T>(
  { client }: Asking,
  { now, signal }: Pick<CommandContext, 'now' | 'signal'>,
  work: (client: Client) => Promise<T>,
  hooks: ClientHooks = {},
): Promise<T> => {
  const made = createClient(client, now, hooks);
  const stop = (): void => made.close();
  if (signal.aborted) stop();
  else signal.addEventListener('abort', stop, { once: true });
  try {
    return await work(made);
  } finally {
    signal.removeEventListener('abort', stop);
    made.close();
  }
};

export const obtainFromNode = async (client: Client, tags: readonly string[]): Promise<Obtained> => {
  const { outcome } = await client.health(tags);
  return outcome.kind === 'ok'
    ? { kind: 'ok', report: outcome.value }
    : { kind: 'no-report', message: printable(describe(outcome), 600) };
};

/** `-` is what is piped in. */
export const obtainFromFile = async (
  file: string,
  { maxBodyBytes }: Pick<Asking, 'maxBodyBytes'>,
  { stdin, signal }: Pick<CommandContext, 'stdin' | 'signal'>,
): Promise<Obtained> => {
  try {
    const source = file === '-' ? (stdin?.() ?? []) : createReadStream(file, { signal });
    const text = await readAtMost(source, maxBodyBytes);
    if (text === undefined)
      return { kind: 'unreadable', message: `is larger than ${maxBodyBytes} bytes: raise --max-body-size if this is expected` };
    const saved = readSaved(text);
    if (saved.kind === 'ok') return saved;
    return { kind: 'no-report', message: `${file === '-' ? 'stdin' : printable(file)}: ${saved.message}` };
  } catch (error) {
    // The operator's fault (no such file, no permission), and said as one.
    return { kind: 'unreadable', message: `cannot be read: ${fileFault(error)}` };
  }
};

/** Undefined where there is more. */
const readAtMost = async (
  source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  limit: number,
): Promise<string | undefined> => {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of source) {
    size += chunk.length;
    if (size > limit) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
};
