// Ports for tests stay reserved while the process runs, even if nothing listens on them.

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { freePort, reserve } from '../support/free-port.ts';

const fileOf = (port: number): string => join(tmpdir(), 'snowgauge-test-ports', `${port}`);

test('no port is returned twice, even if nothing listens on it', async () => {
  const ports = await Promise.all(Array.from({ length: 200 }, freePort));
  expect(new Set(ports).size).toBe(ports.length);
  expect(ports.filter((port) => !existsSync(fileOf(port)))).toEqual([]);
});

test('a port can be reserved once, and again after the process that reserved it has ended', async () => {
  const port = await freePort();
  expect(reserve(port)).toBe(false);
  // No process has such an id.
  writeFileSync(fileOf(port), '999999999');
  expect(reserve(port)).toBe(true);
  expect(readFileSync(fileOf(port), 'utf8')).toBe(`${process.pid}`);
});
