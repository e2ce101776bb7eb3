// docs/security.md: every test that it names exists, it names every test of test/hostile, and its limits are those of the program.
// docs/hostile.md: its tables have each kind of hostile node and client.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { boundsOfReport, boundsOfResult } from '../../src/client/bounds.ts';
import { targetFrom } from '../../src/config/target.ts';
import { overHttp, overTls } from '../hostile/clients-suite.ts';
import { hostileNodes } from '../hostile/hostile-nodes.ts';

const root = join(import.meta.dirname, '../..');
const page = readFileSync(join(root, 'docs/security.md'), 'utf8');
const named = new Set(Array.from(page.matchAll(/`(test\/[^`]+)`/g), ([, path = '']) => path));

test('every named test exists', () => {
  expect(named.size).toBeGreaterThan(20);
  expect([...named].filter((path) => !path.endsWith('.test.ts') || !existsSync(join(root, path)))).toEqual([]);
});

test('every threat has a test', () => {
  const rows = page.split('\n').filter((line) => line.startsWith('|') && !line.includes('---'));
  const threats = rows.filter((line) => line.split('|').length === 5);
  expect(threats.filter((line) => !line.includes('`test/') && !line.startsWith('| threat '))).toEqual([]);
});

test('every test of test/hostile is named', () => {
  const files = readdirSync(join(root, 'test/hostile'), { recursive: true, encoding: 'utf8' });
  const tests = files.filter((name) => name.endsWith('.test.ts')).map((name) => `test/hostile/${name}`);
  expect(tests.filter((path) => !named.has(path))).toEqual([]);
});

test('the documented limits of a response are those of the program', () => {
  const { maxReportBytes, maxBodyBytes } = targetFrom({}).client;
  const { depth, values, checks, name } = boundsOfReport;
  const [most, ofPeers] = [values, boundsOfResult('info.peers').values].map((count) => count.toLocaleString('en'));
  const limits = [
    `\`maxReportSize\` (${maxReportBytes / 1024} KiB) and \`maxBodySize\` (${maxBodyBytes / 1024 ** 2} MiB)`,
    `${depth} levels, ${most} values (${ofPeers} of peers, validators and blockchains)`,
    `${checks} checks per report, names of ${name / 1024} KiB`,
  ];
  expect(limits.filter((text) => !page.includes(text))).toEqual([]);
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

test('docs/hostile.md has the figures of every kind of hostile node and client', () => {
  const measured = readFileSync(join(root, 'docs/hostile.md'), 'utf8').replaceAll('`', '');
  const [, nodes = '', clients = ''] = measured.split(/^## .*$/m);
  const rowsOf = (part: string): readonly string[] =>
    Array.from(part.matchAll(/^\| (?!hostile node|clients)(.+?) \| \d/gm), ([, name = '']) => name);
  expect(rowsOf(nodes)).toEqual(hostileNodes.map(({ node }) => node));
  expect(rowsOf(clients)).toHaveLength(overHttp.length + overTls.length);
});
