// Parses the subject alternative names of a certificate from Node.js's format into the form that Go compares.

import { expect, test } from 'vitest';
import { sansOf } from '../../../src/server/web/secure.ts';

test.each([
  ['DNS:client.invalid', ['client.invalid']],
  ['DNS:a, IP Address:10.0.0.1, email:a@b.c, URI:spiffe://a/b', ['a', '10.0.0.1', 'a@b.c', 'spiffe://a/b']],
  ['IP Address:2001:DB8:0:0:0:0:0:1', ['2001:db8::1']],
  // A quoted name that contains a comma is one name.
  ['DNS:"evil, DNS:client.invalid"', ['evil, DNS:client.invalid']],
  // Names of other types that contain what looks like an entry, as Node.js writes them.
  ['othername:UPN:DNS:admin, DNS:b', ['b']],
  ['othername:"UPN:a\\u002c DNS:admin\\u002c b", DNS:b', ['b']],
  ['DirName:CN=DNS:admin, DNS:b', ['b']],
  ['DirName:"CN=y\\u002cO=x\\\\\\u002c DNS:admin", DNS:"c\\u002cd"', ['c,d']],
  ['Registered ID:1.2.3.4, othername:<unsupported>, DNS:b', ['b']],
  // Not as Node.js writes them.
  ['othername:UPN:"a, DNS:admin, b", DNS:b', ['b']],
  ['DNS:b, DNS:"admin', ['b']],
  ['', []],
])('%s', (names, sans) => {
  expect(sansOf(names)).toEqual(sans);
});
