// A resolver with one answer for every name that records the queried names.

import type { LookupFunction } from 'node:net';

export const resolving = (address: string) => {
  const asked: string[] = [];
  const lookup: LookupFunction = (host, { all }, callback) => {
    asked.push(host);
    setImmediate(() => (all === true ? callback(null, [{ address, family: 4 }]) : callback(null, address, 4)));
  };
  return { lookup, asked };
};
