// The bundled program, as the image and the bin run it: `npm test` builds it before the tests.

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export const bundle = fileURLToPath(new URL('../../dist/snowgauge.js', import.meta.url));

/** Runs a command to its end. `output` is what it said on both channels. */
export const runBundle = (args: readonly string[]): Promise<{ readonly code: number | null; readonly output: string }> =>
  new Promise((resolve) => {
    const child = execFile(process.execPath, [bundle, ...args], (_error, stdout, stderr) =>
      resolve({ code: child.exitCode, output: stdout + stderr }),
    );
  });
