// A container as answers show it. Base58, hex, digits and RFC 3339 are ASCII, and none of it needs escaping in JSON.

import type { WireContainer } from '../../protocol/container.ts';
import type { Json } from '../go-json.ts';
import { layoutOf, numberOf, type Packed } from './stored-container.ts';

/** As it stands in JSON. */
export type Encoding = 'hex' | 'hexc' | 'hexnc';

/** The JSON object of a container, members in the node's order. */
export const containerJson = (packed: Packed, encoding: Encoding): Json<WireContainer> => {
  const { memory } = packed;
  const { idStart, idEnd, bytesStart, bytesEnd } = layoutOf(packed);
  const id = memory.toString('latin1', idStart, idEnd);
  const hex = memory.toString('hex', bytesStart, encoding === 'hexnc' ? bytesEnd : packed.end);
  const timestamp = memory.toString('latin1', idEnd, bytesStart);
  const json = `{"id":"${id}","bytes":"0x${hex}","timestamp":"${timestamp}","encoding":"${encoding}","index":"${numberOf(packed)}"}`;
  return json as Json<WireContainer>;
};
