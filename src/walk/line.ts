// A container as a line of NDJSON.

import type { Container } from '../protocol/container.ts';

/** The number is text, as on the wire, since it has 64 bits. */
export const lineOf = ({ index, id, timestamp, encoding, bytes }: Container): string =>
  `${JSON.stringify({ index: index.toString(), id, timestamp, encoding, bytes })}\n`;
