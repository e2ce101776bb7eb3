// Runs promtool and returns its output for unit tests of rules.

import { spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

interface Said {
  readonly code: number | null;
  readonly output: string;
}

export const run = (program: string, args: readonly string[]): Promise<Said> =>
  new Promise((resolve, reject) => {
    // With more threads, garbage collection takes a sixth more CPU.
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

/** Writes each text to a file, runs `promtool test rules` on them and returns its complaints. */
export const complaints = async (promtool: string, folder: string, texts: readonly string[]): Promise<string> => {
  const files = texts.map((_, at) => join(folder, `${at}.test.yaml`));
  await Promise.all(texts.map((text, at) => writeFile(files[at] ?? '', text)));
  const { code, output } = await run(promtool, ['test', 'rules', ...files]);
  return code === 0 ? '' : `exit code ${code}: ${output}`;
};
