// Containers as lines of NDJSON.

import type { Container } from '../protocol/container.ts';
import { printableJson } from '../text.ts';

/** Nothing that JSON would escape: the digits, letters and marks of base58, hex, timestamps and names. */
const plain = /^[\w:.+-]*$/;

/** The number is text, as on the wire, since it has 64 bits. Whatever the node gave, the line is ASCII. */
export const lineOf = ({ index, id, timestamp, encoding, bytes }: Container): string =>
  plain.test(bytes) && plain.test(id) && plain.test(timestamp) && plain.test(encoding)
    ? `{"index":"${index}","id":"${id}","timestamp":"${timestamp}","encoding":"${encoding}","bytes":"${bytes}"}\n`
    : printableJson({ index: index.toString(), id, timestamp, encoding, bytes });
