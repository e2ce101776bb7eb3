// Blanks the secrets of a request in its response. A proxy or an error page may quote them, and they must not get onto a page, into a log or into
// a label. Secrets that the server has transformed (a hash, another encoding) are not found.

import { decodeId, isExactNodeId } from '../protocol/id.ts';
import { isSecretHeader } from '../protocol/request-headers.ts';
import { escapedUnit } from '../text.ts';
import type { ClientOptions } from './options.ts';

export interface Echoes {
  readonly inBody: (body: Buffer) => Buffer;
  readonly inText: (text: string) => string;
}

/** Shorter texts may be in a response by chance, and are not blanked. */
const minLength = 8;

/** For parts of a path; and for parts of a header that are only digits, because these may be a height or a time. */
const minPartLength = 16;

/** Whether a part of a path may be a key: it is long enough, and not a NodeID or another id of the network, as in the path of a proxy. */
const isKeyLike = (part: string): boolean => part.length >= minPartLength && !isExactNodeId(part) && decodeId(part) === undefined;

const blank = '***';

/** `authorization`: the header as it is sent. */
export const echoesOf = (
  { baseUrl, headers = {} }: Pick<ClientOptions, 'baseUrl' | 'headers'>,
  authorization: string | undefined,
): Echoes => {
  const ofHeaders = Object.entries(headers).flatMap(([name, value]) =>
    isSecretHeader(name) ? credentialsIn(value, isCredential(name)) : [],
  );
  const { pathname, searchParams } = new URL(baseUrl);
  const ofUrl = [...pathname.split('/'), ...searchParams.values()]
    .filter(isKeyLike)
    .flatMap((part) => [part, decodedPart(part), decodedPart(decodedPart(part))]);
  const found = [...(authorization === undefined ? [] : credentialsIn(authorization, true)), ...ofHeaders, ...ofUrl].flatMap(
    spellings,
  );
  // Longest first, because one may be part of another.
  const secrets = [...new Set(found)].filter((one) => one.length >= minLength).sort((a, b) => b.length - a.length);
  // latin1 keeps every byte as it is.
  const bytes = secrets.map((secret) => Buffer.from(secret).toString('latin1'));
  const [numbers, others] = [bytes.filter((one) => isNumber(one)), bytes.filter((one) => !isNumber(one))];
  const blankedBody = (text: string): string => {
    const rest = blanked(text, others);
    if (numbers.length === 0) return rest;
    // Numbers in JSON are kept even if their digits equal a secret: without them, the JSON would be invalid.
    return /^\s*[[{]/.test(rest) ? inStrings(rest, (one) => blanked(one, numbers)) : blanked(rest, numbers);
  };
  return {
    inText: (text) => blanked(text, secrets),
    inBody: (body) =>
      secrets.some((secret) => body.includes(secret)) ? Buffer.from(blankedBody(body.toString('latin1')), 'latin1') : body,
  };
};

const isNumber = (secret: string): boolean => /^\d+$/.test(secret);

/** Headers whose whole value is a credential. */
const isCredential = (name: string): boolean => /^(?:cookie|authorization|proxy-authorization)$/i.test(name);

/** Changes the strings in JSON, including an unterminated last one. */
const inStrings = (json: string, change: (text: string) => string): string => {
  const parts: string[] = [];
  let at = 0;
  for (let begin = json.indexOf('"'); begin >= 0; begin = json.indexOf('"', at)) {
    let end = json.indexOf('"', begin + 1);
    while (end >= 0 && isEscaped(json, end)) end = json.indexOf('"', end + 1);
    const next = end < 0 ? json.length : end + 1;
    parts.push(json.slice(at, begin), change(json.slice(begin, next)));
    at = next;
  }
  return parts.join('') + json.slice(at);
};

const isEscaped = (json: string, at: number): boolean => {
  let first = at;
  while (json[first - 1] === '\\') first -= 1;
  return (at - first) % 2 === 1;
};

/** As a proxy quotes it after decoding the URL. Called twice for a chain of proxies. */
const decodedPart = (part: string): string => {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
};

const blanked = (text: string, secrets: readonly string[]): string =>
  secrets.reduce((rest, secret) => rest.replaceAll(secret, blank), text);

/** Of `Bearer token`, `Basic` with base64, or `a=secret; b=secret`: the whole value, the text after the first word, and the parts. */
const credentialsIn = (value: string, isAll: boolean): readonly string[] => {
  const parts = value.split(/[\s;,=]+/).filter((part) => isAll || part.length >= minPartLength || !isNumber(part));
  const [, encoded] = /^Basic\s+(\S+)$/i.exec(value) ?? [];
  if (encoded === undefined) return [value, value.replace(/^\S+\s+/, ''), ...parts];
  const decoded = Buffer.from(encoded, 'base64').toString();
  return [value, encoded, decoded, decoded.slice(decoded.indexOf(':') + 1)];
};

/** The secret itself, and as encoded in JSON by JavaScript, Go, Python and PHP, in a URL, and in HTML. */
const spellings = (secret: string): readonly string[] => {
  const json = JSON.stringify(secret).slice(1, -1);
  const ascii = json.replace(/[\u0080-\uffff]/g, escapedUnit);
  const html = secret.replace(/[<>&]/g, (found) => entities[found] ?? found);
  return [
    secret,
    json,
    json.replace(/[<>&]/g, escapedUnit),
    ascii,
    ascii.replaceAll('/', '\\/'),
    encodeURIComponent(secret),
    html,
  ];
};

const entities: Readonly<Record<string, string>> = { '<': '&lt;', '>': '&gt;', '&': '&amp;' };
