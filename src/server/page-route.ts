// The page as a reply. Who watches it asks at the same moment, because one event tells them all: they get the same bytes.

import { renderPage, renderPart } from './page.ts';
import { pageHeaders } from './page-headers.ts';
import type { Known, Own } from './status.ts';
import { askedFor, type Past, viewOf } from './view.ts';

export interface PageReply {
  readonly status: 200 | 404;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

interface Kept {
  readonly query: string;
  readonly known: Known;
  readonly own: Own;
  /** Ages are shown in whole seconds. */
  readonly second: number;
  readonly reply: PageReply;
}

/** Renders what the query asks for, and keeps the last page for as long as it is the same. */
export const createPageRoute = (past: Past): ((query: string, known: Known, own: Own, now: number) => PageReply) => {
  const headers = { ...pageHeaders(), 'Cache-Control': 'no-store' };
  let kept: Kept | undefined;
  return (query, known, own, now) => {
    const second = Math.floor(now);
    const same =
      kept?.query === query &&
      kept.second === second &&
      kept.known.snapshot === known.snapshot &&
      kept.own.configuration === own.configuration;
    if (kept !== undefined && same) return kept.reply;
    const params = new URLSearchParams(query);
    const view = viewOf(known, past, own, now, askedFor(params));
    const body = params.get('part') === 'page' ? renderPart(view) : renderPage(view);
    const reply: PageReply = { status: view.unknownTarget === undefined ? 200 : 404, headers, body };
    kept = { query, known, own, second, reply };
    return reply;
  };
};
