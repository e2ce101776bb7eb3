// An exporter with a web configuration, and requests from a TLS client.

import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { type Agent, request } from 'node:https';
import { join } from 'node:path';
import type { ConnectionOptions } from 'node:tls';
import { onTestFinished } from 'vitest';
import { openWeb } from '../../src/commands/web-config.ts';
import { silentLog } from '../../src/log.ts';
import type { Server, ServerOptions } from '../../src/server/listen.ts';
import { createArrivals } from '../../src/turns.ts';
import { temporaryFolder } from './events.ts';
import { type Given, serveExporter } from './exporter-server.ts';

export const tlsFile = (name: string): string => join(import.meta.dirname, '../fixtures/tls', name);
export const pem = (name: string): string => readFileSync(tlsFile(name), 'utf8');

/** With a client certificate. */
export const client: ConnectionOptions = { cert: pem('client.crt'), key: pem('client.key') };

/** The server's certificate, from the CA that `ask` trusts. */
export const serverPair = `cert_file: ${tlsFile('server.crt')}\n  key_file: ${tlsFile('server.key')}`;

/** The bcrypt hash of s3cret with the lowest cost. */
export const hash = '$2b$04$ukTozjPceO.jM0IPzc3tMOVishw8rVWAmmZG32Q5KBWzNwkGqrCLy';

export interface WebServed extends Server {
  readonly file: string;
  readonly errors: () => readonly string[];
  /** Messages of level info. */
  readonly infos: () => readonly string[];
  /** Fields and messages of level warn. */
  readonly warnings: () => readonly (readonly [fields: object, message: string])[];
}

/** All errors of a web configuration. */
export const errorsOf = async (text: string): Promise<readonly string[]> => {
  const file = join(await temporaryFolder(), 'web.yml');
  await writeFile(file, text);
  const opened = await openWeb(file, { now: () => 0, log: silentLog });
  return opened.kind === 'ok' ? [] : opened.errors.map(({ message }) => message.replace(file, 'web.yml'));
};

/** Stops after the test. */
export const serveWeb = async (
  text: string,
  options: Partial<ServerOptions> = {},
  arrivals = createArrivals(),
  given: Given = {},
): Promise<WebServed> => {
  const file = join(await temporaryFolder(), 'web.yml');
  await writeFile(file, text);
  const told: string[] = [];
  const infos: string[] = [];
  const warnings: (readonly [object, string])[] = [];
  const log = {
    ...silentLog,
    warn: (fields: object, message: string) => void warnings.push([fields, message]),
    error: (fields: object) => void told.push(JSON.stringify(fields)),
    info: (_: object, message: string) => void infos.push(message),
  };
  const opened = await openWeb(file, { now: () => performance.now() / 1000, log });
  if (opened.kind === 'invalid') throw new Error(JSON.stringify(opened.errors));
  const stop = new AbortController();
  const watched = opened.value?.watch(stop.signal);
  onTestFinished(async () => {
    stop.abort();
    await watched;
  });
  const server = await serveExporter({ ...given, web: opened.value?.web, options, arrivals });
  return { ...server, file, errors: () => told, infos: () => infos, warnings: () => warnings };
};

export interface Told {
  readonly status: number;
  readonly body: string;
  /** Distinguishes connections. */
  readonly localPort: number | undefined;
}

/** Rejects if the connection ends without a response. Without an agent the connection ends with the response. */
export const ask = (
  url: string,
  options: ConnectionOptions & { readonly auth?: string } = {},
  path = '/metrics',
  agent: Agent | false = false,
): Promise<Told> =>
  new Promise((resolve, reject) => {
    const asked = request(`${url}${path}`, { ca: pem('ca.crt'), ...options, agent }, (response) => {
      const told = { status: response.statusCode ?? 0, localPort: response.socket.localPort };
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => resolve({ ...told, body: Buffer.concat(chunks).toString() }));
    });
    asked.on('error', reject);
    asked.end();
  });
