// Ports that tests are given: nobody else's while the process lasts, also when nothing listens on them.

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { freePort, reserve } from '../support/free-port.ts';

const fileOf = (port: number): string => join(tmpdir(), 'snowgauge-test-ports', `${port}`);

test('no port is given twice, though nothing listens on it', async () => {
  const ports = await Promise.all(Array.from({ length: 200 }, freePort));
  expect(new Set(ports).size).toBe(ports.length);
  expect(ports.filter((port) => !existsSync(fileOf(port)))).toEqual([]);
});

test('a port is reserved once; what a process that has ended had is free again', async () => {
  const port = await freePort();
  expect(reserve(port)).toBe(false);
  // No process has a number that long.
  writeFileSync(fileOf(port), '999999999');
  expect(reserve(port)).toBe(true);
  expect(readFileSync(fileOf(port), 'utf8')).toBe(`${process.pid}`);
});
