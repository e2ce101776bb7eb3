// JSON-RPC as a real node implements it, including Go's messages for invalid JSON: cases that no captured response covers.

import { describe, expect, test } from 'vitest';
import { goStruct } from '../../src/node/go-json.ts';
import { JsonError, scanValue } from '../../src/node/json-scan.ts';
import type { Params } from '../../src/node/rpc-call.ts';
import { answerRpc, type RpcMethod, type RpcService } from '../../src/node/rpc-server.ts';

const service: RpcService = {
  name: 'index',
  methods: new Map<string, RpcMethod>([
    [
      'show',
      (params: Params) => ({
        kind: 'result',
        json: goStruct(Object.fromEntries(params)),
      }),
    ],
    ['refuse', () => ({ kind: 'error', message: 'start index (4) > last accepted index (3)' })],
    ['null', () => ({ kind: 'result', json: goStruct(null) })],
    ['raw', () => ({ kind: 'result', json: goStruct([1, 2]) })],
    ['puzzle', () => ({ kind: 'unencodable', message: 'json: unsupported value: NaN' })],
  ]),
};

const post = (body: string, contentType: string | undefined = 'application/json') =>
  answerRpc(service, { method: 'POST', contentType, body }, async (_, method) => method());

const ok = (result: string, id = '1'): string => `{"jsonrpc":"2.0","result":${result},"id":${id}}\n`;
const failed = (message: string, code = -32000, data = 'null', id = '1'): string =>
  `{"jsonrpc":"2.0","error":{"code":${code},"message":${JSON.stringify(message)},"data":${data}},"id":${id}}\n`;
const seen = (jsonrpc: string, method: string, params: string, id: string): string =>
  `{"jsonrpc":"${jsonrpc}","method":"${method}","params":${params},"id":${id}}`;
const nothingSeen = seen('', '', 'null', 'null');

const called = (method: string, rest = ''): string => `{"jsonrpc":"2.0","id":1,"method":"index.${method}"${rest}}`;

test.each([
  ['a result', called('raw'), ok('[1,2]')],
  ['a null result', called('null'), ok('null')],
  ['names of members in any case', '{"JSONRPC":"2.0","ID":1,"Method":"index.raw"}', ok('[1,2]')],
  ['text after the first value', `${called('raw')}{nonsense`, ok('[1,2]')],
  [
    'an id of any type, as it was written',
    '{"jsonrpc":"2.0","id":{"a": [1.50, "<&>"]},"method":"index.raw"}',
    ok('[1,2]', '{"a":[1.50,"\\u003c\\u0026\\u003e"]}'),
  ],
  ['params as an object', called('show', ',"params":{"Index":5}'), ok('{"index":"5"}')],
  ['params as a list of one object', called('show', ',"params":[{"index":5}, 9]'), ok('{"index":"5"}')],
  ['params that are null', called('show', ',"params":null'), ok('{}')],
  [
    'a number with all of its digits',
    called('show', ',"params":{"a":18446744073709551615,"b":1.0,"c":1e0}'),
    ok('{"a":"18446744073709551615","b":"1.0","c":"1e0"}'),
  ],
  ['a duplicate member in params', called('show', ',"params":{"a":1,"A":2,"a":3}'), ok('{"a":"3"}')],
  ['an error of the method', called('refuse'), failed('start index (4) > last accepted index (3)').replace('>', '\\u003e')],
  [
    'a method without a dot',
    '{"jsonrpc":"2.0","id":1,"method":"health"}',
    failed('rpc: service/method request ill-formed: "health"'),
  ],
  [
    'a method name with characters that Go escapes',
    '{"jsonrpc":"2.0","id":1,"method":"index.ßa\\u0001\\u007f\\u00a0\\ud83d\\ude00\\n"}',
    failed('rpc: can\'t find method "index.ßa\\x01\\x7f\\u00a0😀\\n"'),
  ],
  [
    'a method name with a lone surrogate',
    '{"jsonrpc":"2.0","id":1,"method":"index.a\\ud800"}',
    failed('rpc: can\'t find method "index.A\ufffd"'),
  ],
  ['a request without a version', '{"id":1}', failed('jsonrpc must be 2.0', -32600, seen('', '', 'null', '1'))],
  ['an empty body', '', failed('EOF', -32700, nothingSeen, 'null')],
  ['white space', ' \n', failed('EOF', -32700, nothingSeen, 'null')],
  ['a body that ends early', '{"jsonrpc":', failed('unexpected EOF', -32700, nothingSeen, 'null')],
  [
    'a method of another type',
    '{"jsonrpc":"2.0","id":4,"method":5}',
    failed(
      'json: cannot unmarshal number into Go struct field serverRequest.method of type string',
      -32700,
      seen('2.0', '', 'null', '4'),
      '4',
    ),
  ],
])('%s gets the response of a real node', async (_, body, answer) => {
  const reply = await post(body);
  expect([reply.status, reply.body]).toEqual([200, answer]);
});

test.each([['null'], ['{"jsonrpc":"2.0","method":"index.puzzle"}']])(
  '%s has no id: the response is empty and has no Content-Type',
  async (body) => {
    const reply = await post(body);
    expect([reply.status, reply.body, reply.headers.find(([name]) => name === 'Content-Type')]).toEqual([200, '', undefined]);
  },
);

test('a result that JSON cannot encode gets HTTP 500', async () => {
  const reply = await post(called('puzzle'));
  expect([reply.status, reply.body]).toEqual([500, 'json: unsupported value: NaN']);
});

test.each([
  ['text/plain; charset=utf-8', 415, 'rpc: unrecognized Content-Type: text/plain'],
  ['application/json ;x', 415, 'rpc: unrecognized Content-Type: application/json '],
])('content type %s gets %i', async (contentType, status, body) => {
  const reply = await answerRpc(service, { method: 'POST', contentType, body: called('raw') }, async (_, method) => method());
  expect([reply.status, reply.body]).toEqual([status, body]);
});

test('arguments nested 100 levels or deeper get an error', async () => {
  const deep = (depth: number) => called('show', `,"params":{"x":${'['.repeat(depth)}${']'.repeat(depth)}}`);
  expect((await post(deep(60))).status).toBe(200);
  for (const depth of [100, 9_000, 100_000])
    expect((await post(deep(depth))).body).toContain("invalid character '[' exceeded max depth");
});

describe('Go says of', () => {
  test.each([
    ['{bad', "invalid character 'b' looking for beginning of object key string"],
    ['{"a" 1}', "invalid character '1' after object key"],
    ['{"a":1 "b"}', `invalid character '"' after object key:value pair`],
    ['[1 2]', "invalid character '2' after array element"],
    ['[1,]', "invalid character ']' looking for beginning of value"],
    ['{"a":1,}', "invalid character '}' looking for beginning of object key string"],
    ['tru3', "invalid character '3' in literal true (expecting 'e')"],
    ['-x', "invalid character 'x' in numeric literal"],
    ['1.x', "invalid character 'x' after decimal point in numeric literal"],
    ['1ex', "invalid character 'x' in exponent of numeric literal"],
    ['"\\x"', "invalid character 'x' in string escape code"],
    ['"\\u00g0"', "invalid character 'g' in \\u hexadecimal character escape"],
    ['"\n"', "invalid character '\\n' in string literal"],
    ["'", "invalid character '\\'' looking for beginning of value"],
    ['\u0000', "invalid character '\\x00' looking for beginning of value"],
    ['é', "invalid character 'Ã' looking for beginning of value"],
    ['\ufeff{}', "invalid character 'ï' looking for beginning of value"],
    ['{"a":', 'unexpected EOF'],
    ['"abc', 'unexpected EOF'],
    ['nul', 'unexpected EOF'],
  ])('%j: %s', (text, message) => {
    expect(() => scanValue(text, 0)).toThrow(new JsonError(message));
  });

  test.each([
    ['{"a":[1,{"b":"}"}],"c":-0.5e+3} rest', 31],
    ['[] ]', 2],
    ['12,', 2],
    ['"\\""x', 4],
  ])('%j that its first value ends at %i', (text, end) => {
    expect(scanValue(text, 0)).toBe(end);
  });
});
