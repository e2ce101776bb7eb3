// A folder as the kubelet mounts a ConfigMap or Secret: files are links into `..data`, a link to a folder that each change
// replaces by a rename. Existing files are never written.

import { mkdir, mkdtemp, readlink, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

export interface Mounted {
  readonly folder: string;
  readonly path: (name: string) => string;
  /** Updates the volume as the kubelet does when the object changes. */
  readonly swap: (files: Readonly<Record<string, string>>) => Promise<void>;
}

export const mount = async (files: Readonly<Record<string, string>>): Promise<Mounted> => {
  const folder = await mkdtemp(join(tmpdir(), 'snowgauge-mounted-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  let moment = 0;
  const data = join(folder, '..data');

  const place = async (content: Readonly<Record<string, string>>): Promise<void> => {
    moment += 1;
    const name = `..2026_11_21_12_00_00.${moment}`;
    await mkdir(join(folder, name));
    for (const [file, text] of Object.entries(content)) await writeFile(join(folder, name, file), text);
    await symlink(name, `${data}_tmp`);
    await rename(`${data}_tmp`, data);
  };
  await place(files);
  for (const file of Object.keys(files)) await symlink(join('..data', file), join(folder, file));
  return {
    folder,
    path: (name) => join(folder, name),
    swap: async (content) => {
      const before = await readlink(data);
      await place(content);
      for (const file of Object.keys(content)) {
        await symlink(join('..data', file), join(folder, file)).catch((error: NodeJS.ErrnoException) => {
          if (error.code !== 'EEXIST') throw error;
        });
      }
      await rm(join(folder, before), { recursive: true });
    },
  };
};
