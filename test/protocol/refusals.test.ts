// How errors of a node are classified: as an absent container, a rejected request, or a temporary fault.

import { expect, test } from 'vitest';
import { isAbsence, isRefusal } from '../../src/protocol/refusals.ts';

const server = -32000;

test.each([
  { message: 'no containers have been accepted' },
  { message: 'no container at index 5' },
  { message: 'not found' },
  { message: "couldn't read from database: not found" },
  { message: "couldn't get container at index 5: couldn't read from database: not found" },
  { message: "couldn't get index: not found" },
  { message: 'start index (5) > last accepted index (4)' },
])('"$message" means that the index does not have it', ({ message }) => {
  expect([isAbsence({ code: server, message }), isRefusal({ code: server, message })]).toEqual([true, true]);
});

test.each([
  { code: server, message: "couldn't unmarshal an argument. Ensure arguments are valid and properly formatted." },
  { code: server, message: 'unsupported encoding in method' },
  { code: server, message: 'numToFetch must be in [1,1024] but is 0' },
  { code: server, message: "rpc: can't find method index.getIt" },
  { code: server, message: 'method must start with a non-uppercase letter: "GetIndex"' },
  { code: -32601, message: 'method not found' },
  { code: -32600, message: 'database closed' },
  { code: -32700, message: 'no container at index 5' },
])('$code "$message" is a rejected request: no answer, and retrying is useless', (error) => {
  expect([isAbsence(error), isRefusal(error)]).toEqual([false, true]);
});

test.each([
  'database closed',
  'IO error: Input/output error',
  'context canceled',
  'an error that says rpc: somewhere',
  "couldn't read from database: leveldb/table: corruption on data-block (pos=1)",
  "couldn't read from database: file 000123.ldb not found",
  "couldn't get index: closed",
  '',
])('any other error is a temporary fault of the node: "%s"', (message) => {
  expect([isAbsence({ code: server, message }), isRefusal({ code: server, message })]).toEqual([false, false]);
});
