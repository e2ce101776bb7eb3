// A fast parser for responses with a thousand containers: handles clearly valid ones, and leaves all others to the schema.

import { type Container, maxFetchedByRange, maxIdLength } from './container.ts';
import { isObject } from './foreign-text.ts';
import { parseInstant } from './time.ts';

/** RFC 3339 timestamps that need no calendar, with days that every month has. */
const plainInstant =
  /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;

const plainDigits = /^\d{1,19}$/;

const numberOf = (wire: unknown): bigint | undefined =>
  typeof wire === 'string' && plainDigits.test(wire) ? (wire.length < 16 ? BigInt(+wire) : BigInt(wire)) : undefined;

/** `known`: a timestamp that is valid. Thousands of containers in a row share one if they were accepted while bootstrapping. */
const plainContainer = (wire: unknown, known: string | undefined): Container | undefined => {
  if (!isObject(wire)) return undefined;
  const { id, bytes, timestamp, encoding } = wire;
  if (typeof id !== 'string' || typeof bytes !== 'string' || typeof timestamp !== 'string' || typeof encoding !== 'string')
    return undefined;
  if (id.length > maxIdLength) return undefined;
  if (timestamp !== known && !plainInstant.test(timestamp) && parseInstant(timestamp) === undefined) return undefined;
  const index = numberOf(wire.index);
  return index === undefined ? undefined : { id, bytes, timestamp, encoding, index };
};

/**
 * Parses the result of index.getContainerRange, in either of its forms. Undefined means undecided: use the schema. Its result is the same
 * whenever this returns one, but it takes several times as long, and reports what is invalid.
 */
export const plainContainers = (result: unknown): Container[] | undefined => {
  const wires = isObject(result) ? result.containers : result;
  if (!Array.isArray(wires) || wires.length > maxFetchedByRange) return undefined;
  const containers: Container[] = [];
  let known: string | undefined;
  for (const wire of wires) {
    const container = plainContainer(wire, known);
    if (container === undefined) return undefined;
    known = container.timestamp;
    containers.push(container);
  }
  return containers;
};
