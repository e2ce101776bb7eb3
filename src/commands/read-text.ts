// A file of the operator's as text, or why it cannot be read.

import { readFile } from 'node:fs/promises';
import type { FileRead } from '../config/load.ts';
import { fileFault } from './file-fault.ts';

export const readText = async (file: string): Promise<FileRead> => {
  try {
    return { kind: 'ok', text: await readFile(file, 'utf8') };
  } catch (error) {
    // The operator's fault as a rule (no such file, no permission), and said as one.
    return { kind: 'failed', reason: fileFault(error) };
  }
};
