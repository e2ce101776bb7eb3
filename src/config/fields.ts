// Schemas of scalars: hosts, addresses, paths, headers, networks. Also the error for a scalar where a mapping is required.

import { isIP } from 'node:net';
import * as z from 'zod/mini';
import { nodeUrlFault } from '../protocol/node-url.ts';
import { headerValueFault } from '../protocol/request-headers.ts';
import { textThat, wholeNumber } from '../protocol/scalars.ts';
import { rule, unshown } from '../yaml/rules.ts';

/** The error for a text or a number where a mapping is required. */
export const mappingSuchAs = (example: string) => ({
  error: ({ code }: z.core.$ZodRawIssue) => (code === 'invalid_type' ? `must be a mapping, such as ${example}` : undefined),
});

/** 0: any free port. */
export const port = wholeNumber(0, 65_535);

export const host = textThat(
  (text) => /^[A-Za-z0-9._:%-]{1,253}$/.test(text),
  'is not a host: write an address such as 0.0.0.0 or ::, or a name',
);

/**
 * A name, `*.NAME` or `*`. In other positions, a `*` could also match `node.example.com.evil.org`. `example`, `rest`: for the error message.
 */
export const hostPattern = (example: string, rest: string) =>
  textThat(
    (text) => text.length <= 253 && /^(?:\*|(?:\*\.)?[a-z0-9_](?:[-a-z0-9_.]*[a-z0-9_])?)$/i.test(text) && isIP(text) === 0,
    `is not a host name: write ${example}, *.example.com for all names below it, or *${rest}`,
  );

/** The pattern also matches `host:99999` and `[1:2]:9652`, which URL.canParse rejects. */
const isAddress = (text: string): boolean =>
  /^(?:[A-Za-z0-9._-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\]):(?!0+$)\d{1,5}$/.test(text) && URL.canParse(`http://${text}`);

export const address = textThat(
  (text) => isAddress(text.replace('{shard}', '0')),
  'is not host:port: write an address such as 10.1.2.3:9652 or [fd00::1]:9652',
);

/** http or https. A path is the prefix of a proxy. The parsed value has no trailing slash. */
export const nodeUrl = z.pipe(
  // No error shows the URL, because its query may contain a key.
  z.string().check(unshown(nodeUrlFault)),
  z.transform((text): string => {
    const { origin, pathname } = new URL(text);
    return `${origin}${pathname.replace(/\/+$/, '')}`;
  }),
);

/** False for the content of a PEM file. */
const isPath = (text: string): boolean => text.length <= 4096 && /^(?!.*-----BEGIN)[^\0\r\n]+$/.test(text);

export const path = z.string().check(unshown((text) => (isPath(text) ? undefined : 'is not the path of a file or directory')));

/** A slash is required, because the most common error is to write the credential itself instead of the path of its file. */
export const credentialsPath = z
  .string()
  .check(
    unshown((text) =>
      text.length <= 4096 && /^\.{0,2}\/[^\0\r\n]+$/.test(text)
        ? undefined
        : 'is not a path: write that of the file that holds the credential, such as /etc/snowgauge/token or ./token',
    ),
  );

/** For tags and names of checks. White space at the beginning or end is an error, such as the line end of a variable. */
export const name = z.string().check(
  z.minLength(1),
  z.maxLength(256),
  z.refine((text) => text === text.trim(), 'begins or ends with white space: remove it'),
);

export const headerValue = z.string().check(unshown(headerValueFault));

const isCidr = (text: string): boolean => {
  const [, address = '', bits] = /^([0-9a-f.:]+)(?:\/(\d{1,3}))?$/i.exec(text) ?? [];
  const version = isIP(address);
  return version !== 0 && Number(bits ?? 0) <= (version === 4 ? 32 : 128);
};

/** The prefix length that is probably missing: 10.0.0.0 without one would be a single address. Undefined for other addresses. */
const missingPrefix = (text: string): number | undefined => {
  const countOf = (parts: string): number => parts.split(/[.:]/).filter((part) => part !== '').length;
  if (isIP(text) === 4 && text.endsWith('.0')) return 8 * countOf(text.replace(/(?:(?:^|\.)0)+$/, ''));
  return isIP(text) === 6 && text.endsWith('::') ? 16 * countOf(text) : undefined;
};

/** The error message for a network; undefined if it is valid. */
export const cidrFault = (text: string): string | undefined => {
  if (!isCidr(text)) return 'is not a network: write it like 10.0.0.0/8, fd00::/8 or 10.0.0.5';
  const bits = missingPrefix(text);
  if (bits === undefined) return undefined;
  const all = isIP(text) === 4 ? 32 : 128;
  return `is the address of a network without its prefix length: write ${text}/${bits}, or ${text}/${all} for this one address`;
};

/** `faultOf`: the error message for a text; undefined if it is valid. */
export const textWithout = (faultOf: (text: string) => string | undefined) =>
  z.string().check(
    rule<string>((text, addIssue) => {
      const fault = typeof text === 'string' ? faultOf(text) : undefined;
      if (fault !== undefined) addIssue([], fault);
    }),
  );

export const cidr = textWithout(cidrFault);
