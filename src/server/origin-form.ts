// Requests whose target is a whole URL, as clients send it to a proxy: `GET http://10.0.0.5:9652/metrics`.

import type { IncomingMessage } from 'node:http';

/**
 * Turns such a target into its path. RFC 9112, 3.2.2: a server must accept it, and its host replaces the Host header, also in the checks
 * against DNS rebinding.
 */
export const toOriginForm = (request: IncomingMessage): void => {
  const [, host, path] = /^https?:\/\/(?:[^/?#]*@)?([^/?#]+)(.*)$/i.exec(request.url ?? '') ?? [];
  if (host === undefined || path === undefined) return;
  request.headers.host = host;
  request.url = path.startsWith('/') ? path : `/${path}`;
};
