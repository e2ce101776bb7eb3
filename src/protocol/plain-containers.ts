// The quick way through an answer of a thousand containers: takes what is plainly right, and leaves every doubt to the schema.

import { type Container, maxFetchedByRange, maxIdLength } from './container.ts';
import { isObject } from './foreign-text.ts';
import { parseInstant } from './time.ts';

/** RFC 3339 that needs no calendar: the days that every month has. */
const plainInstant =
  /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;

const plainDigits = /^\d{1,19}$/;

const numberOf = (wire: unknown): bigint | undefined =>
  typeof wire === 'string' && plainDigits.test(wire) ? (wire.length < 16 ? BigInt(+wire) : BigInt(wire)) : undefined;

/** `known`: a timestamp that is right. Thousands in a row have one, accepted while bootstrapping. */
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
 * The result of index.getContainerRange in either of its shapes. Undefined is no verdict: the schema, which this agrees with
 * wherever it gives a value, costs several times as much and says what is wrong.
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
