// Parses the subject alternative names of a certificate from Node.js's format into the form that Go compares.

import { expect, test } from 'vitest';
import { sansOf } from '../../../src/server/web/secure.ts';

test.each([
  ['DNS:client.invalid', ['client.invalid']],
  ['DNS:a, IP Address:10.0.0.1, email:a@b.c, URI:spiffe://a/b', ['a', '10.0.0.1', 'a@b.c', 'spiffe://a/b']],
  ['IP Address:2001:DB8:0:0:0:0:0:1', ['2001:db8::1']],
  // A quoted name that contains a comma is one name.
  ['DNS:"evil, DNS:client.invalid"', ['evil, DNS:client.invalid']],
  ['', []],
])('%s', (names, sans) => {
  expect(sansOf(names)).toEqual(sans);
});
