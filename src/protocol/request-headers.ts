// The headers that an operator may add to every request: one rule for the configuration, the command line and the client.

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

/** What is wrong with the value of a header, or undefined. Never the value itself: it may be a secret. */
export const headerValueFault = (text: string): string | undefined =>
  text.length <= 8192 && /^[\t\x20-\x7e\x80-\xff]*$/.test(text)
    ? undefined
    : 'is not a header value: one line of at most 8192 characters of ISO 8859-1';

/** By its name: the value is not to be seen on a command line, nor in an answer. */
export const isSecretHeader = (name: string): boolean => /auth|cookie|key|token|secret|password/i.test(name);
