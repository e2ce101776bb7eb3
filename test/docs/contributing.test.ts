import { readdir, readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';

test('CONTRIBUTING.md has a row for every folder and every file of src', async () => {
  const entries = await readdir('src', { withFileTypes: true });
  const all = entries.map((one) => (one.isDirectory() ? `${one.name}/` : one.name)).sort();
  const text = await readFile('CONTRIBUTING.md', 'utf8');
  const rows = [...text.matchAll(/^\| ([\w-]+(?:\/|\.ts)) \|/gm)].map(([, name]) => name);
  expect(all.length).toBeGreaterThan(40);
  expect(rows.sort()).toEqual(all);
});

test('CONTRIBUTING.md names every folder of test that mirrors no other folder', async () => {
  const roomsOf = async (folder: string) =>
    (await readdir(folder, { withFileTypes: true })).flatMap((one) => (one.isDirectory() ? one.name : []));
  const [ours, text] = [await roomsOf('test'), await readFile('CONTRIBUTING.md', 'utf8')];
  const mirrored = [...(await roomsOf('src')), ...(await roomsOf('.'))];
  const named = (room: string): boolean => text.includes(`test/${room}`);
  expect(ours.filter((room) => !mirrored.includes(room) && !named(room))).toEqual([]);
});
