// What stands under stateDir and is open to other users of the machine is told, with what to do; what is closed to them is not.

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
  /** How many are open, and the mode of the first. */
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
  { name: 'what we make, in a folder that others may enter' },
  { name: 'a folder of events that others may read', events: 0o755, told: [1, '0755'] },
  { name: 'a file that others may read', file: 0o644, told: [1, '0644'] },
  { name: 'both, in a folder that nobody else may enter', top: 0o750, events: 0o755, file: 0o644 },
  { name: 'what is open to the group of a pod', events: 0o2770, file: 0o660 },
  { name: 'a stateDir in which others may put what they like', top: 0o777, told: [1, '0777'] },
  { name: 'one in which nobody may take away what is another’s', top: 0o1777 },
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

test('a volume is open to all, and that is no fault', async ({ skip }) => {
  const disk = await smallDisk();
  if (disk === undefined) return skip(noDisk);
  await chmod(disk.folder, 0o777);
  const { said, log } = listeningLog();
  await warnIfOpen(disk.folder, log);
  expect(said).toEqual([]);
});
