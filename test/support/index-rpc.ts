// Calls an index method over a real socket and checks the shape of the response.

import { expect } from 'vitest';
import { type IndexName, indexPath } from '../../src/protocol/paths.ts';
import { askRaw } from './raw-http.ts';

export const argumentError =
  "couldn't unmarshal an argument. Ensure arguments are valid and properly formatted. See documentation for example calls";

/** The response envelope; `params` is JSON text, because the notation of numbers matters. */
export const callIndex = async (
  port: number,
  name: IndexName,
  method: string,
  params = '{"encoding":"hex"}',
): Promise<unknown> => {
  const answer = await askRaw(port, {
    method: 'POST',
    path: indexPath(name),
    headers: { 'Content-Type': 'application/json' },
    body: `{"jsonrpc":"2.0","id":7,"method":"index.${method}","params":${params}}`,
  });
  expect(answer.status).toBe(200);
  return JSON.parse(answer.body);
};

export const failure = (message: string) => ({ jsonrpc: '2.0', id: 7, error: { code: -32000, message, data: null } });

export const success = (result: unknown) => ({ jsonrpc: '2.0', id: 7, result });
