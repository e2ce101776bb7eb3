// Reads a file of the operator as text, or returns why it cannot be read.

import { isUtf8 } from 'node:buffer';
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
    const bytes = await read();
    const text = bytes.toString();
    return isUtf8(bytes) ? { kind: 'ok', text } : { kind: 'failed', reason: notUtf8(text) };
  } catch (error) {
    // Usually an error of the operator, such as a missing file or permission, so it is reported as one.
    return { kind: 'failed', reason: fileFault(error) };
  }
};

/** As Prometheus does. Otherwise, labels and reasons would have a replacement character for each letter that is not ASCII. */
const notUtf8 = (text: string): string => {
  const line = text.slice(0, text.indexOf('\ufffd')).split('\n').length;
  return `line ${line} is not UTF-8: save the file as UTF-8`;
};
