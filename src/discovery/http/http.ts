// Discovers targets from a URL, in the format of http_sd.

import { createHash } from 'node:crypto';
import { askerOf, type Exchange } from '../../client/ask.ts';
import { echoesOf } from '../../client/echoes.ts';
import { describe } from '../../client/outcome.ts';
import type { HttpConfig } from '../../config/discovery.ts';
import { heapLull } from '../../heap.ts';
import { pause } from '../../pause.ts';
import { shownUrl } from '../../protocol/node-url.ts';
import type { DiscoveredTarget } from '../found.ts';
import { bytesOfAll, limitFault, nextRefresh, type RunSource, type SourceUpdate } from '../source.ts';
import { maxBytes, readGroups, readJson } from '../target-groups.ts';

export const runHttp: RunSource<HttpConfig> = async (config, { update, tooLarge, signal, alone, budget, userAgent, lookup }) => {
  const { url, refreshInterval, timeout, tls, authorization, headers } = config;
  const { origin, pathname, search } = new URL(url);
  const asker = askerOf(
    {
      baseUrl: origin,
      timeoutMs: timeout * 1000,
      maxBodyBytes: maxBytes,
      userAgent,
      headers: { ...headers, 'X-Prometheus-Refresh-Interval-Seconds': String(refreshInterval) },
      ...(tls && { tls }),
      authorization,
      lookup,
      maxConnections: 1,
    },
    { budget },
  );
  // Without secrets, because a relabeling may turn it into a label.
  const meta = new Map([['__meta_url', shownUrl(url)]]);
  // Removes secrets from labels, but not from addresses: the URL of a target behind the same proxy may need the same key.
  const { inText } = echoesOf({ baseUrl: url }, undefined);
  const inQuery = new Set(new URL(url).searchParams.values());
  const shown = (label: string): string => (isName(label) && !inQuery.has(label) ? label : inText(label));
  let known: { readonly digest: string; readonly found: readonly DiscoveredTarget[]; readonly bytes: number } | undefined;
  /** Parses a response. A list that is too large together with the lists of the other sources is not parsed at all. */
  const within = async (bytes: Buffer) => {
    const reason = tooLarge(bytes.length);
    if (reason !== undefined) return { kind: 'over limit' as const, reason };
    const read = await groupsOf(bytes, meta, shown);
    await heapLull();
    return read;
  };
  let failures = 0;
  const tell = (given: SourceUpdate): boolean => {
    const isTaken = update(given);
    failures = given.kind === 'ok' && isTaken ? 0 : failures + 1;
    return isTaken;
  };
  // A separate function, so that the response is not kept in memory while waiting for the next refresh.
  const refresh = async (): Promise<void> => {
    const exchange = await asker.ask({ path: pathname + search, last: true }, (status) => status === 200, { signal });
    const body = bodyOf(exchange);
    const digest = body.kind === 'ok' ? digestOf(body.bytes) : '';
    if (digest !== '' && digest === known?.digest) tell({ kind: 'ok', ...known });
    else {
      const read = body.kind === 'ok' ? await alone(() => within(body.bytes)) : body;
      if (read.kind === 'ok') {
        const next = { digest, found: read.found, bytes: read.bytes };
        if (tell({ kind: 'ok', ...next })) known = next;
      } else {
        const reason = `${shownUrl(url)}: ${read.reason}`;
        const fault = read.kind === 'over limit' ? limitFault(bytesOfAll, reason) : { reason, isRepeated: failures > 0 };
        tell({ kind: 'failed', reason, faults: [fault] });
      }
    }
    exchange.release();
  };
  while (!signal.aborted) {
    await refresh();
    await pause(nextRefresh(refreshInterval, failures), signal);
  }
  asker.endWith({ kind: 'network', reason: 'the client is closed' });
};

/** Lower-case words and short numbers, such as validators-eu-west-1: the name of a cluster may be in the URL of its list, and a key reads otherwise. */
const isName = (label: string): boolean => /^[a-z]{1,15}\d{0,3}(?:[-_.](?:[a-z]{1,15}\d{0,3}|\d{1,4}))+$/.test(label);

type Body = { readonly kind: 'ok'; readonly bytes: Buffer } | { readonly kind: 'invalid'; readonly reason: string };

const bodyOf = ({ head, end }: Exchange): Body => {
  if (head?.location !== undefined) return { kind: 'invalid', reason: `status ${head.status}: redirects are not followed` };
  if (!Buffer.isBuffer(end)) return { kind: 'invalid', reason: describe(end, 'server') };
  return head?.status === 200 ? { kind: 'ok', bytes: end } : { kind: 'invalid', reason: `status ${head?.status}` };
};

const digestOf = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('base64');

const groupsOf = async (bytes: Buffer, meta: ReadonlyMap<string, string>, shown: (label: string) => string) => {
  const json = await readJson(bytes);
  const read = json.kind === 'ok' ? await readGroups(json.value, meta, shown) : json;
  return read.kind === 'ok' ? { ...read, bytes: bytes.length } : read;
};
