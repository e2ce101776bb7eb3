// A list at a URL, in the format of http_sd.

import { askerOf, type Exchange } from '../../client/ask.ts';
import { describe } from '../../client/outcome.ts';
import type { HttpConfig } from '../../config/discovery.ts';
import { pause } from '../../pause.ts';
import { shownUrl } from '../../protocol/node-url.ts';
import type { Found, RunSource } from '../source.ts';
import { type GroupsRead, maxBytes, readGroups, readJson } from '../target-groups.ts';

export const runHttp: RunSource<HttpConfig> = async (config, { update, signal, userAgent, lookup }) => {
  const { url, refreshInterval, timeout, tls, authorization, headers } = config;
  const { origin, pathname, search } = new URL(url);
  const asker = askerOf({
    baseUrl: origin,
    timeoutMs: timeout * 1000,
    maxBodyBytes: maxBytes,
    userAgent,
    headers: { ...headers, 'X-Prometheus-Refresh-Interval-Seconds': String(refreshInterval) },
    ...(tls && { tls }),
    authorization,
    lookup,
    maxConnections: 1,
  });
  // A relabeling may make a label of it.
  const meta = new Map([['__meta_url', shownUrl(url)]]);
  let known: { readonly text: string; readonly found: readonly Found[] } | undefined;
  while (!signal.aborted) {
    const exchange = await asker.ask({ path: pathname + search, last: true }, (status) => status === 200, { signal });
    if (signal.aborted) break;
    const text = textOf(exchange);
    exchange.release();
    if (text.kind === 'ok' && known !== undefined && text.value === known.text) update({ kind: 'ok', found: known.found });
    else {
      const read = text.kind === 'ok' ? groupsOf(text.value, meta) : text;
      if (text.kind === 'ok' && read.kind === 'ok') known = { text: text.value, found: read.found };
      update(read.kind === 'ok' ? read : { kind: 'failed', reason: `${shownUrl(url)}: ${read.reason}` });
    }
    await pause(refreshInterval, signal);
  }
  asker.endWith({ kind: 'network', reason: 'the client is closed' });
};

type Text = { readonly kind: 'ok'; readonly value: string } | { readonly kind: 'invalid'; readonly reason: string };

const textOf = ({ head, end }: Exchange): Text => {
  if (head?.location !== undefined) return { kind: 'invalid', reason: `status ${head.status}: redirects are not followed` };
  if (!Buffer.isBuffer(end)) return { kind: 'invalid', reason: describe(end) };
  return head?.status === 200 ? { kind: 'ok', value: end.toString() } : { kind: 'invalid', reason: `status ${head?.status}` };
};

const groupsOf = (text: string, meta: ReadonlyMap<string, string>): GroupsRead => {
  const json = readJson(text);
  return json.kind === 'ok' ? readGroups(json.value, meta) : json;
};
