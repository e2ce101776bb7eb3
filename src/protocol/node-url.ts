// The URL of a node as written by an operator: its validation, and the part of a URL that may be shown.

import { createHash } from 'node:crypto';

/** A path of the node's own API: the URL was probably copied from a request. Any other path is a proxy's prefix. */
const interfacePath = /^(.*?)(?<!\/)\/+(ext)(?:\/+(admin|bc|health|index|info|metrics|[CPX])(?:\/.*)?)?\/*$/;

/** Maximum characters. */
const longest = 2048;

/** Undefined if the URL is valid. The text never contains what may be secret: user, password, query. */
export const nodeUrlFault = (text: string): string | undefined => {
  const credentials = 'contains a user or a password: remove them, and name a file with them in authorization.credentialsFile';
  if (text.length > longest) return `is longer than ${longest} characters`;
  // Must be checked first: later errors might show the password.
  if (/^(?:[a-z]*:?\/+)?[^/?#]*@/i.test(text)) return credentials;
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(text) && !/^https?:/i.test(text)) return 'must begin with http:// or https://';
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) return 'is not a URL: write one such as http://HOST:PORT';
  const { username, password, pathname, port } = new URL(text);
  if (username !== '' || password !== '') return credentials;
  if (port === '0') return 'has the port 0: write the port of the node';
  if (/[?#]/.test(text)) return 'has a query or a fragment: remove everything from the ? or # on';
  const [, prefix = '', ...parts] = interfacePath.exec(pathname) ?? [];
  const found = parts.flatMap((part) => (part === undefined ? [] : `/${part}`)).join('');
  if (found === '') return undefined;
  // The rest of the path may be an API key of a provider.
  const isAll = pathname.slice(prefix.length).replace(/^\/+|\/+$/g, '') === found.slice(1);
  return `contains ${found}, a path of the node's API: remove ${found}${isAll ? '' : ' and everything after it'} from the URL`;
};

/**
 * The part of a URL that is shown everywhere: scheme, host and port. A path becomes `/…`, because that of an RPC provider contains the
 * key. Empty if it is not an HTTP URL. `base`: the URL to which `text` is relative.
 */
export const shownUrl = (text: string, base?: string): string => {
  if (!URL.canParse(text, base)) return '';
  const { protocol, origin, pathname } = new URL(text, base);
  if (protocol !== 'http:' && protocol !== 'https:') return '';
  return /^\/*$/.test(pathname) ? origin : `${origin}/…`;
};

/** Represents the URL of a target in our files: different for each URL, without its path. */
export const storedUrl = (url: string): string => {
  const shown = shownUrl(url);
  return shown === url ? url : `${shown} ${createHash('sha256').update(url).digest('hex').slice(0, 32)}`;
};
