// promtool, and what it says of tests of rules.

import { spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

interface Said {
  readonly code: number | null;
  readonly output: string;
}

export const run = (program: string, args: readonly string[]): Promise<Said> =>
  new Promise((resolve, reject) => {
    // On more, it takes a sixth more processor time, for its garbage.
    const env = { ...process.env, GOMAXPROCS: '1' };
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], env });
    let output = '';
    const take = (chunk: string): void => {
      output += chunk;
    };
    child.stdout.setEncoding('utf8').on('data', take);
    child.stderr.setEncoding('utf8').on('data', take);
    child.on('error', reject).on('close', (code) => resolve({ code, output }));
  });

/** Writes each text as a file and has them tested; gives what promtool complains of. */
export const complaints = async (promtool: string, folder: string, texts: readonly string[]): Promise<string> => {
  const files = texts.map((_, at) => join(folder, `${at}.test.yaml`));
  await Promise.all(texts.map((text, at) => writeFile(files[at] ?? '', text)));
  const { code, output } = await run(promtool, ['test', 'rules', ...files]);
  return code === 0 ? '' : `exit code ${code}: ${output}`;
};
