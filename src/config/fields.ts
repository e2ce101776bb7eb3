// The scalars of the configuration: hosts, addresses, paths, headers; and what is said of a scalar in place of a mapping.

import { isIP } from 'node:net';
import * as z from 'zod/mini';
import { nodeUrlFault } from '../protocol/node-url.ts';
import { headerValueFault } from '../protocol/request-headers.ts';
import { rule, unshown } from '../yaml/rules.ts';

/** Of a mapping that is easily taken for a text or a number. */
export const mappingSuchAs = (example: string) => ({
  error: ({ code }: z.core.$ZodRawIssue) => (code === 'invalid_type' ? `must be a mapping, such as ${example}` : undefined),
});

export const host = z
  .string()
  .check(
    z.refine(
      (text) => /^[A-Za-z0-9._:%-]{1,253}$/.test(text),
      'is not a host: write an address such as 0.0.0.0 or ::, or a name',
    ),
  );

/** A `*` inside a name would match `node.example.com.evil.org`, or seem to. */
export const hostPattern = (example: string, rest: string) =>
  z
    .string()
    .check(
      z.refine(
        (text) => text.length <= 253 && /^(?:\*|(?:\*\.)?[a-z0-9_](?:[-a-z0-9_.]*[a-z0-9_])?)$/i.test(text) && isIP(text) === 0,
        `is not a host name: write ${example}, *.example.com for all names below it, or *${rest}`,
      ),
    );

/** Not all of `host:99999` or `[1:2]:9652` that the pattern lets through is an address. */
const isAddress = (text: string): boolean =>
  /^(?:[A-Za-z0-9._-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\]):(?!0+$)\d{1,5}$/.test(text) && URL.canParse(`http://${text}`);

export const address = z
  .string()
  .check(
    z.refine(
      (text) => isAddress(text.replace('{shard}', '0')),
      'is not host:port: write an address such as 10.1.2.3:9652 or [fd00::1]:9652',
    ),
  );

/** http or https, a path is a proxy's prefix. Read without a slash at its end. */
export const nodeUrl = z.pipe(
  // A query may hold a key.
  z.string().check(unshown(nodeUrlFault)),
  z.transform((text): string => {
    const { origin, pathname } = new URL(text);
    return `${origin}${pathname.replace(/\/+$/, '')}`;
  }),
);

/** Not the text of a PEM itself. */
const isPath = (text: string): boolean => text.length <= 4096 && /^(?!.*-----BEGIN)[^\0\r\n]+$/.test(text);

export const path = z.string().check(unshown((text) => (isPath(text) ? undefined : 'is not the path of a file or folder')));

/** The commonest error is the credential itself in place of its file, so that a name without a slash is no path here. */
export const credentialsPath = z
  .string()
  .check(
    unshown((text) =>
      text.length <= 4096 && /^\.{0,2}\/[^\0\r\n]+$/.test(text)
        ? undefined
        : 'is not a path: write that of the file that holds the credential, such as /etc/snowgauge/token or ./token',
    ),
  );

/** Tags, names of checks: any text, but no space around it, which is a slip (a line end in a variable). */
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

/** Of the address of a network, such as 10.0.0.0: without its prefix length it would be a single address. */
const missingPrefix = (text: string): number | undefined => {
  const countOf = (parts: string): number => parts.split(/[.:]/).filter((part) => part !== '').length;
  if (isIP(text) === 4 && text.endsWith('.0')) return 8 * countOf(text.replace(/(?:(?:^|\.)0)+$/, ''));
  return isIP(text) === 6 && text.endsWith('::') ? 16 * countOf(text) : undefined;
};

/** What is wrong with a network; undefined if nothing is. */
export const cidrFault = (text: string): string | undefined => {
  if (!isCidr(text)) return 'is not a network: write it like 10.0.0.0/8, fd00::/8 or 10.0.0.5';
  const bits = missingPrefix(text);
  if (bits === undefined) return undefined;
  const all = isIP(text) === 4 ? 32 : 128;
  return `is the address of a network without its prefix length: write ${text}/${bits}, or ${text}/${all} for this one address`;
};

/** `faultOf`: what is wrong with it. */
export const textWithout = (faultOf: (text: string) => string | undefined) =>
  z.string().check(
    rule<string>((text, addIssue) => {
      const fault = typeof text === 'string' ? faultOf(text) : undefined;
      if (fault !== undefined) addIssue([], fault);
    }),
  );

export const cidr = textWithout(cidrFault);
