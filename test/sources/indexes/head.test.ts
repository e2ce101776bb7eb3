// How a response to index.getLastAccepted is read: as a state of the index, or as a failed request.

import { expect, test } from 'vitest';
import type { Failure } from '../../../src/client/outcome.ts';
import type { IndexName } from '../../../src/protocol/paths.ts';
import { headOf, type IndexHead } from '../../../src/sources/indexes/head.ts';
import { containerAt } from '../../support/containers.ts';

const last = containerAt(9);
const { bytes: _, encoding: __, ...accepted } = last;
const nothing: Failure = { kind: 'rpc-error', code: -32_000, message: 'no containers have been accepted' };
const off: Failure = { kind: 'http-status', status: 404 };

test.each<{ index: IndexName; failure: Failure; head: IndexHead }>([
  { index: 'P/block', failure: nothing, head: { state: 'empty' } },
  { index: 'X/tx', failure: nothing, head: { state: 'empty' } },
  { index: 'X/vtx', failure: nothing, head: { state: 'historical' } },
  { index: 'P/block', failure: off, head: { state: 'off' } },
  { index: 'X/vtx', failure: off, head: { state: 'off' } },
])('$failure from $index is read as $head', ({ index, failure, head }) => {
  expect(headOf(index, failure, undefined)).toEqual({ kind: 'ok', value: head });
});

test.each<{ failure: Failure }>([
  { failure: { kind: 'http-status', status: 503 } },
  { failure: { kind: 'http-status', status: 403 } },
  { failure: { kind: 'rpc-error', code: -32_000, message: 'database closed' } },
  { failure: { kind: 'timeout', afterMs: 5000 } },
])('any other failure stays a failure: $failure', ({ failure }) => {
  expect(headOf('P/block', failure, undefined)).toEqual(failure);
});

test.each<{ index: IndexName; before: IndexHead | undefined; when: string; state: IndexHead['state'] }>([
  { index: 'P/block', when: 'that was not seen before', before: undefined, state: 'ok' },
  { index: 'X/block', when: 'that stands still', before: { state: 'ok', last }, state: 'ok' },
  {
    index: 'X/vtx',
    when: 'that grows unexpectedly',
    before: { state: 'historical', last: containerAt(8) },
    state: 'historical',
  },
  { index: 'X/tx', when: 'that was not seen before', before: undefined, state: 'historical' },
  { index: 'X/tx', when: 'that stands still', before: { state: 'historical', last }, state: 'historical' },
  { index: 'X/tx', when: 'that grows', before: { state: 'historical', last: containerAt(8) }, state: 'ok' },
  {
    index: 'X/tx',
    when: 'that became shorter',
    before: { state: 'historical', last: containerAt(10) },
    state: 'historical',
  },
  { index: 'X/tx', when: 'that grew and stands still', before: { state: 'ok', last }, state: 'ok' },
  { index: 'X/tx', when: 'that was empty', before: { state: 'empty' }, state: 'ok' },
  { index: 'X/tx', when: 'that was off', before: { state: 'off' }, state: 'historical' },
])('$index with containers $when is $state', ({ index, before, state }) => {
  expect(headOf(index, { kind: 'ok', value: last }, before)).toEqual({ kind: 'ok', value: { state, last: accepted } });
});
