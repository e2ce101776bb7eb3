// The URL of a node as an operator writes it: what is wrong with one, and what of a URL may be shown.

/** What a node serves itself: a URL that holds it was copied from a request. Any other path is a proxy's prefix. */
const interfacePath = /^(.*?)\/+(ext)(?:\/+(admin|bc|health|index|info|metrics|[CPX])(?:\/.*)?)?\/*$/;

/** Undefined: it can be used. Never shows what may be a secret: a user, a password, a query. */
export const nodeUrlFault = (text: string): string | undefined => {
  const credentials =
    'holds a user or a password: leave them out, and name a file that holds them in authorization.credentialsFile';
  // Said before anything else: what follows might show the password.
  if (/^[a-z]*:?\/*[^/?#]*@/i.test(text)) return credentials;
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) return 'is not a URL: write one such as http://127.0.0.1:9650';
  const { username, password, origin, pathname } = new URL(text);
  if (username !== '' || password !== '') return credentials;
  if (/[?#]/.test(text)) return 'has a query or a fragment: leave out all from the ? or # on';
  const [, prefix = '', ...parts] = interfacePath.exec(pathname) ?? [];
  const found = parts.filter((part) => part !== undefined).join('/');
  return found === '' ? undefined : `holds /${found}, a path of the node's API: leave it out, and write ${origin}${prefix}`;
};

/** Without user, password, query and fragment; undefined where it is no URL of http. `base`: what a relative one is relative to. */
export const publicUrl = (text: string, base?: string): string | undefined => {
  if (!URL.canParse(text, base)) return undefined;
  const { protocol, origin, pathname } = new URL(text, base);
  return protocol === 'http:' || protocol === 'https:' ? origin + pathname : undefined;
};
