// Requests URLs from within the machine of a cluster, with its network; a process per request would cost more CPU than the
// request itself. Reads a request per line on stdin, `{ id, url, timeoutMs }`, and prints a response per line, `{ id, status,
// body }` or `{ id, error }`. Its folder has the certificates of the API server's administrator.

import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import got, { RequestError } from 'got';

const [pki = ''] = process.argv.slice(2);
/** @param {string} file */
const read = (file) => readFileSync(`${pki}/${file}`);
const administrator = { certificateAuthority: read('ca.crt'), certificate: read('admin.crt'), key: read('admin.key') };
/** A connection per request except those to the API server, so that none stays open to a container that has gone. */
const options = {
  https: administrator,
  agent: { http: /** @type {const} */ (false) },
  retry: { limit: 0 },
  throwHttpErrors: false,
  followRedirect: false,
};

/** @param {string} url @param {number} timeoutMs */
const ask = async (url, timeoutMs) => {
  try {
    const { statusCode, body } = await got(url, { ...options, timeout: { request: timeoutMs } });
    return { status: statusCode, body };
  } catch (error) {
    return { error: error instanceof RequestError ? `${error.code}: ${error.message}` : String(error) };
  }
};

for await (const line of createInterface({ input: process.stdin })) {
  const { id, url, timeoutMs } = JSON.parse(line);
  void ask(url, timeoutMs).then((answer) => process.stdout.write(`${JSON.stringify({ id, ...answer })}\n`));
}
