// A file of the operator's as text, or why it cannot be read.

import { readFile, stat } from 'node:fs/promises';
import { fileFault } from '../client/files.ts';
import type { FileRead } from '../config/load.ts';

/** Nobody writes that much by hand, and a volume may hold anything. */
const maxMiB = 16;

export const readText = async (file: string): Promise<FileRead> => {
  try {
    if ((await stat(file)).size > maxMiB * 2 ** 20) return { kind: 'failed', reason: `larger than ${maxMiB} MiB` };
    return { kind: 'ok', text: await readFile(file, 'utf8') };
  } catch (error) {
    // The operator's fault as a rule (no such file, no permission), and said as one.
    return { kind: 'failed', reason: fileFault(error) };
  }
};
