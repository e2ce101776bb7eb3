// A file of the operator's as text, or why it cannot be read.

import { readFile } from 'node:fs/promises';
import { fileFault } from '../client/files.ts';
import type { FileRead } from '../config/load.ts';

export const readText = async (file: string): Promise<FileRead> => {
  try {
    return { kind: 'ok', text: await readFile(file, 'utf8') };
  } catch (error) {
    // The operator's fault as a rule (no such file, no permission), and said as one.
    return { kind: 'failed', reason: fileFault(error) };
  }
};
