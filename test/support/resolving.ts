// A resolver that has one answer for every name, and keeps what it was asked for.

import type { LookupFunction } from 'node:net';

export const resolving = (address: string) => {
  const asked: string[] = [];
  const lookup: LookupFunction = (host, { all }, callback) => {
    asked.push(host);
    setImmediate(() => (all === true ? callback(null, [{ address, family: 4 }]) : callback(null, address, 4)));
  };
  return { lookup, asked };
};
