// Reads a file of the operator as text, or returns why it cannot be read.

import { stat } from 'node:fs/promises';
import { fileFault } from '../client/files.ts';
import type { ConfigText } from '../config/load.ts';
import { readPipe, readWhole } from '../regular-file.ts';

/** More than anybody writes by hand. The limit is needed because a volume may contain any file. */
const maxBytes = 16 * 2 ** 20;

export const readText = (file: string): Promise<ConfigText> => orReason(() => readWhole(file, maxBytes));

/** Also reads a pipe, but only once: `--config /dev/stdin`, `--config <(...)`. */
export const readGiven = async (file: string, signal: AbortSignal): Promise<ConfigText> => {
  const isPiped = await stat(file).then(
    (found) => found.isFIFO(),
    () => false,
  );
  if (!isPiped) return readText(file);
  const read = await orReason(() => readPipe(file, maxBytes, signal));
  if (read.kind === 'failed') return { ...read, isPiped };
  return read.text === '' ? { kind: 'failed', reason: 'no data in this pipe', isPiped } : { ...read, isPiped };
};

const orReason = async (read: () => Promise<Buffer>): Promise<ConfigText> => {
  try {
    return { kind: 'ok', text: (await read()).toString() };
  } catch (error) {
    // Usually an error of the operator, such as a missing file or permission, so it is reported as one.
    return { kind: 'failed', reason: fileFault(error) };
  }
};
