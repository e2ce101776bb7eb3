// The npm audit of bundled packages in a release, and its effect.

import { createServer } from 'node:http';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { execute, root } from '../support/chart.ts';

/** A registry with these advisories, or one that rejects the request. */
const registry = async (answer: object | undefined): Promise<string> => {
  const server = createServer((request, response) => {
    const known = answer !== undefined && request.url?.endsWith('/advisories/bulk');
    request.resume().on('end', () => {
      response.writeHead(known ? 200 : 405, { 'content-type': 'application/json' }).end(known ? JSON.stringify(answer) : '');
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/`;
};

const audit = async (answer: object | undefined, ...args: readonly string[]) => {
  const asked = `npm_config_registry=${await registry(answer)}`;
  return execute('env', [
    asked,
    'npm_config_fetch_retries=0',
    process.execPath,
    join(root, 'scripts/release/audit.mjs'),
    ...args,
  ]);
};

const advisory = {
  id: 1,
  title: 'Path traversal',
  url: 'https://advisories.example/1',
  severity: 'high',
  vulnerable_versions: '*',
};

test('without advisories the release continues', async () => {
  expect(await audit({}, '--tag', 'v0.0.0')).toMatchObject({ code: 0, stderr: expect.stringContaining('no known holes') });
});

test('an advisory for a bundled package ends the release, also a dry run', async () => {
  const { code, stderr } = await audit({ hono: [advisory] }, '--dry-run');
  expect(code).toBe(1);
  expect(stderr).toContain('high: hono: Path traversal https://advisories.example/1');
});

test('an advisory for a package that only tests use does not end the release', async () => {
  expect(await audit({ vitest: [advisory] }, '--tag', 'v0.0.0')).toMatchObject({ code: 0 });
});

test('a failed request to the registry ends a release, and is only reported by a dry run', async () => {
  const unreachable = expect.stringContaining('npm audit cannot be reached: 405 Method Not Allowed');
  expect(await audit(undefined, '--tag', 'v0.0.0')).toMatchObject({ code: 1, stderr: unreachable });
  expect(await audit(undefined, '--dry-run')).toMatchObject({ code: 0, stderr: unreachable });
});
