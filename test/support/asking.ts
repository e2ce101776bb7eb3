// A client with generous limits, for tests that are not about a limit, because the machine may be busy.

import { type Client, type ClientHooks, createClient } from '../../src/client/client.ts';
import type { ClientOptions } from '../../src/client/options.ts';

export const never = new AbortController().signal;

export const clientOf = (baseUrl: string, options: Partial<ClientOptions> = {}, hooks: ClientHooks = {}): Client =>
  createClient(
    { baseUrl, timeoutMs: 50_000, maxBodyBytes: 1024 * 1024, userAgent: 'snowgauge/test', ...options },
    () => Date.now() / 1000,
    hooks,
  );
