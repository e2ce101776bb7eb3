// Parses a JSON-RPC request into its raw members.

import { goCompact } from './go-json.ts';
import { goTextOf, JsonError, jsonMembersOf, scanValue, skipSpace } from './json-scan.ts';

/** `id` and `params` are JSON text as sent; undefined if missing or null, which are the same to the node. */
export interface Call {
  readonly jsonrpc: string;
  readonly method: string;
  readonly params?: string;
  readonly id?: string;
  /** Go's own message if the envelope cannot be parsed. */
  readonly error?: string;
}

/** In their order: names in lower case, as the node matches them, and JSON text. */
export type Params = readonly (readonly [name: string, raw: string])[];

const unreadable = (error: string): Call => ({ jsonrpc: '', method: '', error });

const kinds: Readonly<Record<string, string>> = { '"': 'string', '[': 'array', '{': 'object', t: 'bool', f: 'bool' };

const kindOf = (raw: string): string => kinds[raw.charAt(0)] ?? 'number';

/** The first JSON value of the body; what follows it is ignored. */
export const readCall = (body: string): Call => {
  const from = skipSpace(body, 0);
  if (from === body.length) return unreadable('EOF');
  try {
    const raw = body.slice(from, scanValue(body, from));
    if (raw === 'null') return { jsonrpc: '', method: '' };
    if (raw.startsWith('{')) return readMembers(jsonMembersOf(raw, 0));
    return unreadable(`json: cannot unmarshal ${kindOf(raw)} into Go value of type json2.serverRequest`);
  } catch (error) {
    if (error instanceof JsonError) return unreadable(error.message);
    throw error;
  }
};

/** Names match in any case and the last of a name counts; Go reports the first member of a wrong type. */
const readMembers = (members: ReturnType<typeof jsonMembersOf>): Call => {
  const call: { jsonrpc: string; method: string; params?: string; id?: string; error?: string } = { jsonrpc: '', method: '' };
  for (const [spelled, raw] of members) {
    const name = foldCase(spelled);
    if (name === 'params' || name === 'id') {
      if (raw === 'null') delete call[name];
      else call[name] = name === 'id' ? goCompact(raw) : raw;
    } else if (name === 'jsonrpc' || name === 'method') {
      if (raw.startsWith('"')) call[name] = goTextOf(raw);
      else if (raw !== 'null')
        call.error ??= `json: cannot unmarshal ${kindOf(raw)} into Go struct field serverRequest.${name} of type string`;
    }
  }
  return call;
};

/** Go's folding for ASCII names: it also takes the long s and the Kelvin sign (which toLowerCase folds by itself). */
const foldCase = (name: string): string => name.toLowerCase().replaceAll('ſ', 's');

/** Members of params; undefined if the node finds no arguments in them. `raw` has valid syntax. */
export const readParams = (raw: string | undefined): Params | undefined => {
  if (raw === undefined) return [];
  const start = raw.startsWith('[') ? skipSpace(raw, 1) : 0;
  // `[]` and `[null]` leave the arguments as they are; of a longer array only the first element counts.
  if (raw[start] === ']' || raw.startsWith('null', start)) return [];
  if (raw[start] !== '{') return undefined;
  return jsonMembersOf(raw, start).map(([name, value]) => [foldCase(name), value]);
};
