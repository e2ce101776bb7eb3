// The commands print the plain-text error of a snowgauge that rejects their request.

import { expect, onTestFinished, test } from 'vitest';
import { unknownHost } from '../../src/server/allowed-hosts.ts';
import { at, typed } from '../support/command.ts';
import { serveHttp } from '../support/serve.ts';
import { serveWeb, tlsFile } from '../support/web-config.ts';

const plain = { 'content-type': 'text/plain; charset=utf-8' };

test.each([
  {
    server: 'a server that does not allow the Host header',
    ...unknownHost,
    says: 'HTTP status 403: Host header not allowed: use the IP address, or add the name to server.allowedHosts (in',
  },
  {
    server: 'a server that requires credentials',
    status: 401,
    headers: plain,
    body: 'Unauthorized\n',
    says: 'HTTP status 401: Unauthorized: use --bearer-file or --basic-file\n',
  },
  {
    server: 'a server that rate-limits',
    status: 429,
    headers: plain,
    body: 'Too Many\u009b2J\n\n',
    says: '429: Too Many\uFFFD2J\n',
  },
  {
    server: 'a server without a valid configuration',
    status: 503,
    headers: plain,
    body: 'snowgauge has no valid configuration and polls nothing:\nurl: none\n',
    says: 'HTTP status 503: snowgauge has no valid configuration and polls nothing\n',
  },
  {
    server: 'a 503 with an empty body',
    status: 503,
    headers: plain,
    body: '\n',
    says: 'HTTP status 503, not a response of snowgauge: is this its URL?\n',
  },
  {
    server: 'a proxy with an HTML page',
    status: 403,
    headers: { 'content-type': 'text/html' },
    body: '<html>no</html>',
    says: 'HTTP status 403, not a response of snowgauge: is this its URL?\n',
  },
])('exits with 3 and prints the reason for $server', async ({ status, headers, body, says }) => {
  const server = await serveHttp((_, response) => response.writeHead(status, headers).end(body));
  onTestFinished(() => server.close());
  for (const command of [['maintenance', 'list'], ['safe-to-restart']])
    expect(await typed([...command, ...at(server.url)])).toMatchObject({ code: 3, stderr: expect.stringContaining(says) });
});

test('--ca-file may have only the intermediate authority of a snowgauge, as for a node', async () => {
  const pair = `cert_file: ${tlsFile('issued.crt')}\n  key_file: ${tlsFile('issued.key')}`;
  const { url } = await serveWeb(`tls_server_config:\n  ${pair}\n`);
  const ran = await typed(['maintenance', 'list', ...at(url), '--ca-file', tlsFile('issuing.crt')]);
  // The maintenance API is disabled here.
  expect(ran.stderr).toContain('HTTP status 404');
});

test('says how far a request got that did not end in time', async () => {
  const server = await serveHttp(() => undefined);
  onTestFinished(() => server.close());
  const { stderr } = await typed(['maintenance', 'list', '--url', server.url, '--timeout', '200ms']);
  expect(stderr).toMatch(/: (?:connected, but no response|no connection) within 200 ms: /);
});
