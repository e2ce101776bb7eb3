// Containers as lines of NDJSON.

import type { Container } from '../protocol/container.ts';
import { printableJson } from '../text.ts';

/** Characters that JSON does not escape: those of base58, hex, timestamps and names. */
const plain = /^[\w:.+-]*$/;

/** The number is a text, as in the node's API, because it has 64 bits. The line is always ASCII, whatever the node returned. */
export const lineOf = ({ index, id, timestamp, encoding, bytes }: Container): string =>
  plain.test(bytes) && plain.test(id) && plain.test(timestamp) && plain.test(encoding)
    ? `{"index":"${index}","id":"${id}","timestamp":"${timestamp}","encoding":"${encoding}","bytes":"${bytes}"}\n`
    : printableJson({ index: index.toString(), id, timestamp, encoding, bytes });
