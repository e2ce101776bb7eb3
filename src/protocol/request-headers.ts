// Headers that an operator may add to all requests: the same rules for configuration, command line and client.

/** Headers that frame the message: overriding them would break it. */
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

export const isHeaderName = (text: string): boolean => /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,256}$/.test(text);

/** Why the name of a header is invalid, or undefined. */
export const headerNameFault = (header: string): string | undefined => {
  if (!isHeaderName(header)) return 'is not the name of a header';
  const folded = header.toLowerCase();
  if (folded === 'authorization')
    return 'is not set here: name a file that holds the credential in authorization.credentialsFile';
  return framing.has(folded) ? 'is set by snowgauge itself: leave it out' : undefined;
};

/** Why the value of a header is invalid, or undefined. The text never contains the value, which may be secret. */
export const headerValueFault = (text: string): string | undefined =>
  text.length <= 8192 && /^[\t\x20-\x7e\x80-\xff]*$/.test(text)
    ? undefined
    : 'is not a header value: one line of at most 8192 characters of ISO 8859-1';

/** Decided by the name. The value must not be on a command line, nor in a response. */
export const isSecretHeader = (name: string): boolean => /auth|cookie|key|token|secret|password/i.test(name);
