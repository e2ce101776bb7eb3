// A saved report, out of a file or piped in.

import { createReadStream } from 'node:fs';
import { fileFault } from '../client/files.ts';
import type { HealthReport } from '../protocol/health.ts';
import { readSaved } from '../report/saved.ts';
import { printable } from '../text.ts';
import type { CommandContext } from './context.ts';

export type Obtained =
  | { readonly kind: 'ok'; readonly report: HealthReport }
  /** Nobody can say how the node is. */
  | { readonly kind: 'no-report'; readonly message: string }
  /** The operator's error. */
  | { readonly kind: 'unreadable'; readonly path: string; readonly message: string };

const unreadable = (path: string, message: string): Obtained => ({ kind: 'unreadable', path, message });

/** `-` is what is piped in. */
export const obtainFromFile = async (
  file: string,
  maxBytes: number,
  { stdin, signal }: Pick<CommandContext, 'stdin' | 'signal'>,
): Promise<Obtained> => {
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of file === '-' ? (stdin?.() ?? []) : createReadStream(file, { signal })) {
      size += chunk.length;
      if (size > maxBytes) return unreadable(file, `is larger than ${maxBytes} bytes: raise --max-body-size if this is expected`);
      chunks.push(chunk);
    }
  } catch (error) {
    return unreadable(file, `cannot be read: ${fileFault(error)}`);
  }
  const saved = readSaved(Buffer.concat(chunks).toString());
  if (saved.kind === 'ok') return saved;
  return { kind: 'no-report', message: `${file === '-' ? 'stdin' : printable(file)}: ${saved.message}` };
};
