// Replies that are kept for as long as they are the same. Who watches the page asks at the same moment, because one event tells
// them all: they get the same bytes.

import type { Targets } from '../conditions/condition.ts';
import type { Sources } from '../sources/sources.ts';
import { renderPage, renderPart } from './page.ts';
import { pageHeaders } from './page-headers.ts';
import type { Own, Present } from './status.ts';
import { askedFor, type Past, viewOf } from './view.ts';

export interface PageReply {
  readonly status: 200 | 404;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** What a reply is made of, and when. */
export interface Subject extends Present {
  readonly targets: Targets;
  /** Another number when something of the targets changed. */
  readonly version: number;
  readonly own: Own;
}

/** Makes the reply to a query, or gives the last one where it is the same: ages are shown in whole seconds. */
export const keepReply = <Reply>(make: (query: string, subject: Subject) => Reply): typeof make => {
  let kept: { readonly key: readonly unknown[]; readonly reply: Reply } | undefined;
  return (query, subject) => {
    const { now, wallOffset, version, own } = subject;
    const key = [query, Math.floor(now + wallOffset), version, own.configuration];
    if (kept === undefined || kept.key.some((part, at) => part !== key[at])) kept = { key, reply: make(query, subject) };
    return kept.reply;
  };
};

export const createPageRoute = (table: Sources, past: Past): ((query: string, subject: Subject) => PageReply) => {
  const headers = { ...pageHeaders(), 'Cache-Control': 'no-store' };
  return keepReply((query, { targets, own, ...present }) => {
    const params = new URLSearchParams(query);
    const view = viewOf(table, targets, past, own, present, askedFor(params));
    const body = params.get('part') === 'page' ? renderPart(view) : renderPage(view);
    return { status: view.unknownTarget === undefined ? 200 : 404, headers, body };
  });
};
