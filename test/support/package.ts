// The output of `npm pack` in a clean clone of the working tree.

import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runTool } from './run-tool.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** A folder with all tracked and new files. The caller removes it. */
export const cleanClone = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'snowgauge-clone-'));
  const list = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
  });
  for (const file of list.split('\0').filter((name) => name !== '' && existsSync(join(root, name)))) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    cpSync(join(root, file), join(folder, file));
  }
  // Instead of `npm ci`, which takes minutes for the same result.
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  return folder;
};

/** The package that a documented command creates in a clone. */
export const packed = async (clone: string, command = 'npm pack'): Promise<string> => {
  await runTool('sh', ['-ec', command], { cwd: clone, timeoutMs: 280_000 });
  const made = readdirSync(clone).filter((name) => name.endsWith('.tgz'));
  if (made.length !== 1) throw new Error(`not one package: ${made.join(' ')}`);
  return join(clone, made[0] ?? '');
};
