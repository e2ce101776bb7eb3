// A list at a URL, in the format of http_sd.

import { createHash } from 'node:crypto';
import { askerOf, type Exchange } from '../../client/ask.ts';
import { describe } from '../../client/outcome.ts';
import type { HttpConfig } from '../../config/discovery.ts';
import { pause } from '../../pause.ts';
import { shownUrl } from '../../protocol/node-url.ts';
import type { DiscoveredTarget, RunSource } from '../source.ts';
import { type GroupsRead, maxBytes, readGroups, readJson } from '../target-groups.ts';

export const runHttp: RunSource<HttpConfig> = async (config, { update, signal, alone, userAgent, lookup }) => {
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
  let known: { readonly digest: string; readonly found: readonly DiscoveredTarget[] } | undefined;
  while (!signal.aborted) {
    const exchange = await asker.ask({ path: pathname + search, last: true }, (status) => status === 200, { signal });
    if (signal.aborted) break;
    const body = bodyOf(exchange);
    exchange.release();
    const digest = body.kind === 'ok' ? digestOf(body.bytes) : undefined;
    if (known !== undefined && digest === known.digest) update({ kind: 'ok', found: known.found });
    else {
      const read = body.kind === 'ok' ? await alone(() => groupsOf(body.bytes, meta)) : body;
      if (digest !== undefined && read.kind === 'ok') known = { digest, found: read.found };
      update(read.kind === 'ok' ? read : { kind: 'failed', reason: `${shownUrl(url)}: ${read.reason}` });
    }
    await pause(refreshInterval, signal);
  }
  asker.endWith({ kind: 'network', reason: 'the client is closed' });
};

type Body = { readonly kind: 'ok'; readonly bytes: Buffer } | { readonly kind: 'invalid'; readonly reason: string };

const bodyOf = ({ head, end }: Exchange): Body => {
  if (head?.location !== undefined) return { kind: 'invalid', reason: `status ${head.status}: redirects are not followed` };
  if (!Buffer.isBuffer(end)) return { kind: 'invalid', reason: describe(end) };
  return head?.status === 200 ? { kind: 'ok', bytes: end } : { kind: 'invalid', reason: `status ${head?.status}` };
};

const digestOf = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('base64');

const groupsOf = async (bytes: Buffer, meta: ReadonlyMap<string, string>): Promise<GroupsRead> => {
  const json = await readJson(bytes);
  return json.kind === 'ok' ? readGroups(json.value, meta) : json;
};
