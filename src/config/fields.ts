// The scalars of the configuration: hosts, addresses, paths, headers.

import * as z from 'zod/mini';
import { nodeUrlFault } from '../protocol/node-url.ts';

const refused = (input: string, message: string): z.core.$ZodRawIssue<z.core.$ZodIssueCustom> => ({
  code: 'custom',
  input,
  message,
  params: { secret: true },
});

export const host = z
  .string()
  .check(
    z.refine(
      (text) => /^[A-Za-z0-9._:%-]{1,253}$/.test(text),
      'is not a host: write an address such as 0.0.0.0 or ::, or a name',
    ),
  );

/** http or https, a path is a proxy's prefix. Read without a slash at its end. */
export const nodeUrl = z.pipe(
  z.string().check(
    z.maxLength(2048),
    z.superRefine((text, context) => {
      const fault = nodeUrlFault(text);
      // A query may hold a key, so the text is shown in no message.
      if (fault !== undefined) context.addIssue(refused(text, fault));
    }),
  ),
  z.transform((text): string => {
    const { origin, pathname } = new URL(text);
    return `${origin}${pathname.replace(/\/+$/, '')}`;
  }),
);

export const path = z
  .string()
  .check(z.refine((text) => text.length <= 4096 && /^[^\0\r\n]+$/.test(text), 'is not the path of a file or folder'));

/** The commonest mistake is the credential itself in place of its file, so the text is not shown. */
export const credentialsPath = z.string().check(
  z.superRefine((text, context) => {
    if (text.length <= 4096 && /^\.{0,2}\/[^\0\r\n]+$/.test(text)) return;
    context.addIssue(
      refused(text, 'is not a path: write that of the file that holds the credential, such as /etc/snowgauge/token'),
    );
  }),
);

/** Tags, names of checks: any text, but no space around it, which is a slip (a line end in a variable). */
export const name = z.string().check(
  z.minLength(1),
  z.maxLength(256),
  z.refine((text) => text === text.trim(), 'has a space or a line end at its beginning or end: leave it out'),
);

export const headerValue = z.string().check(
  z.superRefine((text, context) => {
    if (text.length <= 8192 && /^[\t\x20-\x7e\x80-\xff]*$/.test(text)) return;
    context.addIssue(refused(text, 'is not a header value: one line of at most 8192 characters of ISO 8859-1'));
  }),
);

/** Headers that frame the message: set by hand they would break it. */
const framing: ReadonlySet<string> = new Set([
  'accept-encoding',
  'connection',
  'content-length',
  'content-type',
  'expect',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** What is wrong with the name of a header, or undefined. */
export const headerNameFault = (header: string): string | undefined => {
  if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,256}$/.test(header)) return 'is not the name of a header';
  const folded = header.toLowerCase();
  if (folded === 'authorization')
    return 'is not set here: name a file that holds the credential in authorization.credentialsFile';
  return framing.has(folded) ? 'is set by snowgauge itself: leave it out' : undefined;
};
