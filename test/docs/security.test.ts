// docs/security.md: each test that it names is there, and each test of hostile parties is named.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');
const page = readFileSync(join(root, 'docs/security.md'), 'utf8');
const named = new Set(Array.from(page.matchAll(/`(test\/[^`]+)`/g), ([, path = '']) => path));

test('every test that is named exists', () => {
  expect(named.size).toBeGreaterThan(20);
  expect([...named].filter((path) => !existsSync(join(root, path)))).toEqual([]);
});

test('every threat has a test', () => {
  const rows = page.split('\n').filter((line) => line.startsWith('|') && !line.includes('---'));
  const threats = rows.filter((line) => line.split('|').length === 5);
  expect(threats.filter((line) => !line.includes('`test/') && !line.startsWith('| threat '))).toEqual([]);
});

test('every test of hostile parties is named', () => {
  const files = readdirSync(join(root, 'test/hostile'), { recursive: true, encoding: 'utf8' });
  const tests = files.filter((name) => name.endsWith('.test.ts')).map((name) => `test/hostile/${name}`);
  expect(tests.filter((path) => !named.has(path))).toEqual([]);
});

test('every package has its hash in the lock file', () => {
  const { packages }: { readonly packages: Readonly<Record<string, { readonly integrity?: string }>> } = JSON.parse(
    readFileSync(join(root, 'package-lock.json'), 'utf8'),
  );
  const without = Object.entries(packages).filter(
    ([name, { integrity = '' }]) => name !== '' && !integrity.startsWith('sha512-'),
  );
  expect(without.map(([name]) => name)).toEqual([]);
});
