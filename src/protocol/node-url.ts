// The URL of a node as an operator writes it: what is wrong with one, and what of a URL may be shown.

import { createHash } from 'node:crypto';

/** What a node serves itself: a URL that holds it was copied from a request. Any other path is a proxy's prefix. */
const interfacePath = /^(.*?)(?<!\/)\/+(ext)(?:\/+(admin|bc|health|index|info|metrics|[CPX])(?:\/.*)?)?\/*$/;

/** Characters. */
const longest = 2048;

/** Undefined: it can be used. Never shows what may be a secret: a user, a password, a query. */
export const nodeUrlFault = (text: string): string | undefined => {
  const credentials = 'contains a user or a password: remove them, and name a file with them in authorization.credentialsFile';
  if (text.length > longest) return `is longer than ${longest} characters`;
  // Said before anything else: what follows might show the password.
  if (/^(?:[a-z]*:?\/+)?[^/?#]*@/i.test(text)) return credentials;
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) return 'is not a URL: write one such as http://HOST:PORT';
  const { username, password, pathname, port } = new URL(text);
  if (username !== '' || password !== '') return credentials;
  if (port === '0') return 'has the port 0: write the port of the node';
  if (/[?#]/.test(text)) return 'has a query or a fragment: remove everything from the ? or # on';
  const [, prefix = '', ...parts] = interfacePath.exec(pathname) ?? [];
  const found = parts.flatMap((part) => (part === undefined ? [] : `/${part}`)).join('');
  if (found === '') return undefined;
  // What follows may be the key of a provider.
  const isAll = pathname.slice(prefix.length).replace(/^\/+|\/+$/g, '') === found.slice(1);
  return `contains ${found}, a path of the node's API: remove ${found}${isAll ? '' : ' and everything after it'} from the URL`;
};

/**
 * What of a URL is shown, wherever one is: scheme, host and port. A path is `/…`, because that of an RPC provider holds the key. Empty
 * where it is no URL of http. `base`: what a relative one is relative to.
 */
export const shownUrl = (text: string, base?: string): string => {
  if (!URL.canParse(text, base)) return '';
  const { protocol, origin, pathname } = new URL(text, base);
  if (protocol !== 'http:' && protocol !== 'https:') return '';
  return /^\/*$/.test(pathname) ? origin : `${origin}/…`;
};

/** What stands for the URL of a target in a file: tells it from any other, and does not hold its path. */
export const storedUrl = (url: string): string => {
  const shown = shownUrl(url);
  return shown === url ? url : `${shown} ${createHash('sha256').update(url).digest('hex').slice(0, 32)}`;
};
