// A file of the operator's as text, or why it cannot be read.

import { stat } from 'node:fs/promises';
import { fileFault } from '../client/files.ts';
import type { ConfigText } from '../config/load.ts';
import { readPipe, readWhole } from '../regular-file.ts';

/** Nobody writes that much by hand, and a volume may hold anything. */
const maxBytes = 16 * 2 ** 20;

export const readText = (file: string): Promise<ConfigText> => orReason(() => readWhole(file, maxBytes));

/** Also what is piped in, once: `--config /dev/stdin`, `--config <(...)`. */
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
    // The operator's fault as a rule (no such file, no permission), and said as one.
    return { kind: 'failed', reason: fileFault(error) };
  }
};
