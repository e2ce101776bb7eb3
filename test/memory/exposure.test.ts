// Files under stateDir that other users of the machine can access are logged with a remedy; other files are not.

import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { warnIfOpen } from '../../src/memory/exposure.ts';
import { listeningLog, temporaryFolder } from '../support/events.ts';
import { noDisk, smallDisk } from '../support/small-disk.ts';

interface Row {
  readonly name: string;
  readonly top?: number;
  readonly events?: number;
  readonly file?: number;
  /** The expected number of accessible paths, and the mode of the first one. */
  readonly told?: readonly [number, string];
}

const made = async (stateDir: string, { top = 0o755, events = 0o700, file = 0o600 }: Row): Promise<void> => {
  await mkdir(join(stateDir, 'events'));
  await writeFile(join(stateDir, 'maintenance.json'), '');
  await chmod(join(stateDir, 'events'), events);
  await chmod(join(stateDir, 'maintenance.json'), file);
  await chmod(stateDir, top);
};

test.each<Row>([
  { name: 'does not warn of the default modes in a folder that others may enter' },
  { name: 'warns of an events folder that others may read', events: 0o755, told: [1, '0755'] },
  { name: 'warns of a file that others may read', file: 0o644, told: [1, '0644'] },
  { name: 'does not warn of either in a stateDir that others may not enter', top: 0o750, events: 0o755, file: 0o644 },
  { name: 'does not warn of group access, as in a pod', events: 0o2770, file: 0o660 },
  { name: 'warns of a stateDir in which others may write', top: 0o777, told: [1, '0777'] },
  { name: 'does not warn of a stateDir with the sticky bit', top: 0o1777 },
])('$name', async (row) => {
  const stateDir = await temporaryFolder();
  await made(stateDir, row);
  const { said, log } = listeningLog();
  await warnIfOpen(stateDir, log);
  const message = `other users of this machine can access stateDir: run chmod -R o-rwx ${stateDir}`;
  expect(said.map((one) => [one.level, one.message, one.fields.paths, one.fields.mode])).toEqual(
    row.told === undefined ? [] : [['warn', message, ...row.told]],
  );
});

test('does not warn of a volume that is open to all users', async ({ skip }) => {
  const disk = await smallDisk();
  if (disk === undefined) return skip(noDisk);
  await chmod(disk.folder, 0o777);
  const { said, log } = listeningLog();
  await warnIfOpen(disk.folder, log);
  expect(said).toEqual([]);
});
