// What a release asks npm about the packages that it bundles, and what it makes of the answers.

import { createServer } from 'node:http';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { execute, root } from '../support/chart.ts';

/** A registry that knows of these holes, or refuses to say. */
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

test('a registry that knows of no holes lets the release go on', async () => {
  expect(await audit({}, '--tag', 'v0.0.0')).toMatchObject({ code: 0, stderr: expect.stringContaining('no known holes') });
});

test('a hole in what is bundled ends it, also a dry run', async () => {
  const { code, stderr } = await audit({ hono: [advisory] }, '--dry-run');
  expect(code).toBe(1);
  expect(stderr).toContain('high: hono: Path traversal https://advisories.example/1');
});

test('a hole in what only tests use does not', async () => {
  expect(await audit({ vitest: [advisory] }, '--tag', 'v0.0.0')).toMatchObject({ code: 0 });
});

test('a registry that cannot be asked ends a release, and is named by a dry run', async () => {
  const unreachable = expect.stringContaining('npm audit cannot be reached: 405 Method Not Allowed');
  expect(await audit(undefined, '--tag', 'v0.0.0')).toMatchObject({ code: 1, stderr: unreachable });
  expect(await audit(undefined, '--dry-run')).toMatchObject({ code: 0, stderr: unreachable });
});
