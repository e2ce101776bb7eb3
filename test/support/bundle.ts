// The bundled program as used by the image and the bin; `npm test` builds it first.

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export const bundle = fileURLToPath(new URL('../../dist/snowgauge.js', import.meta.url));

/** Runs a command until it exits. `output` has stdout and stderr. */
export const runBundle = (args: readonly string[]): Promise<{ readonly code: number | null; readonly output: string }> =>
  new Promise((resolve) => {
    const child = execFile(process.execPath, [bundle, ...args], (_error, stdout, stderr) =>
      resolve({ code: child.exitCode, output: stdout + stderr }),
    );
  });
