// Runs inside.mjs, started with the first request and again after it ended; it ends with the machine.

import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import * as z from 'zod/mini';

export interface Answer {
  readonly status: number;
  readonly body: string;
}

/** Rejects without a response, with the error code first: `ETIMEDOUT`, `ECONNREFUSED`. Times out after 10 s by default. */
export type Ask = (url: string, options?: { readonly timeoutMs?: number }) => Promise<Answer>;

const said = z.object({
  id: z.number(),
  status: z._default(z.number(), 0),
  body: z._default(z.string(), ''),
  error: z.optional(z.string()),
});
type Told = Omit<z.infer<typeof said>, 'id'>;

/** Added to the timeout of a request, because a busy machine may report it late. */
const patienceMs = 30_000;

/** `command` runs another command in the machine. */
export const askInside = (command: readonly [string, ...string[]], env: NodeJS.ProcessEnv, pki: string): Ask => {
  const waiting = new Map<number, (told: Told) => void>();
  let child: ChildProcessByStdio<Writable, Readable, null> | undefined;
  let asked = 0;

  const begin = () => {
    const [file, ...args] = [...command, process.execPath, fileURLToPath(new URL('inside.mjs', import.meta.url)), pki];
    const begun = spawn(file, args, { env, stdio: ['pipe', 'pipe', 'inherit'] });
    createInterface({ input: begun.stdout }).on('line', (line) => {
      const { id, ...told } = said.parse(JSON.parse(line));
      waiting.get(id)?.(told);
    });
    const ended = (why: string): void => {
      child = undefined;
      for (const tell of [...waiting.values()]) tell({ status: 0, body: '', error: why });
    };
    begun.once('error', ({ message }) => ended(message));
    begun.once('close', () => ended('the process that asks has ended'));
    // A write error is followed by `close`, which is handled above.
    begun.stdin.on('error', () => undefined);
    return begun;
  };

  return (url, { timeoutMs = 10_000 } = {}) =>
    new Promise((resolve, reject) => {
      child ??= begin();
      const id = asked++;
      const late = setTimeout(
        () => waiting.get(id)?.({ status: 0, body: '', error: 'the process that asks does not answer' }),
        timeoutMs + patienceMs,
      );
      waiting.set(id, ({ error, ...answer }) => {
        clearTimeout(late);
        waiting.delete(id);
        if (error === undefined) resolve(answer);
        else reject(new Error(`${url}: ${error}`));
      });
      child.stdin.write(`${JSON.stringify({ id, url, timeoutMs })}\n`);
    });
};
