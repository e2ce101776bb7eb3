import { readdir, readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';

test('CONTRIBUTING.md names every room of src', async () => {
  const entries = await readdir('src', { withFileTypes: true });
  const rooms = entries.filter((one) => one.isDirectory()).map(({ name }) => name);
  const text = await readFile('CONTRIBUTING.md', 'utf8');
  expect(rooms.length).toBeGreaterThan(20);
  expect(rooms.filter((room) => !text.includes(`| ${room}/ |`))).toEqual([]);
});
