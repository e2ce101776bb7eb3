// The page of /metrics, kept as bytes: its snapshot part until that stops being true, its process part for a second.

import type { Known } from '../verdict/judgement.ts';
import { contentTypes, createProcessMetrics, endOf, type Format, type ProcessMetrics, render } from './exposition.ts';
import { families, type Kept } from './families.ts';
import { gzipOf, type Part, partOf } from './gzip.ts';
import { formatFor, gzipFor } from './negotiate.ts';
import type { Build, Reload } from './own.ts';
import { currentUntil } from './sources.ts';

/** What the page is rendered from. A part that is another object is another page. */
export interface PageState extends Known, Kept {
  readonly reload: Reload;
}

export interface Page {
  /** Shared between replies: not to be written to. */
  readonly body: Uint8Array;
  /** Without Content-Length. */
  readonly headers: Readonly<Record<string, string>>;
}

/** `now` in seconds; the two headers as they came. A promise only when something has to be rendered first. */
export type PageAt = (
  state: PageState,
  now: number,
  accept: string | undefined,
  acceptEncoding: string | undefined,
) => Page | Promise<Page>;

type Encoding = 'plain' | 'gzip';

/** Call it once: the process metrics' observers last as long as the process. */
export const createPage = (build: Build): PageAt => {
  const processMetrics = createProcessMetrics();
  const formats = { text: pageOf('text', build, processMetrics), openmetrics: pageOf('openmetrics', build, processMetrics) };
  const negotiate = remembered((accept, acceptEncoding) => ({
    format: formatFor(accept),
    encoding: gzipFor(acceptEncoding) ? ('gzip' as const) : ('plain' as const),
  }));
  return (state, now, accept, acceptEncoding) => {
    const { format, encoding } = negotiate(accept, acceptEncoding);
    return formats[format](state, now, encoding);
  };
};

/** Scrapers send the same two headers again and again. */
const remembered = <T>(
  decide: (a: string | undefined, b: string | undefined) => T,
): ((a: string | undefined, b: string | undefined) => T) => {
  const known = new Map<string, T>();
  return (a, b) => {
    const key = `${a}\n${b}`;
    const before = known.get(key);
    if (before !== undefined) return before;
    const decided = decide(a, b);
    if (known.size >= 64 || key.length > 2048) known.clear();
    known.set(key, decided);
    return decided;
  };
};

const processMetricsLast = 1;

interface SnapshotPart {
  readonly state: PageState;
  /** The part is true from here to `until`, both inclusive. */
  readonly from: number;
  readonly until: number;
  readonly part: Promise<Part>;
}

interface ProcessPart {
  readonly at: number;
  readonly part: Promise<Part>;
}

/** The page in one format. What it keeps is replaced together, so bytes never join parts of different ages. */
const pageOf = (format: Format, build: Build, processMetrics: ProcessMetrics) => {
  let known: SnapshotPart | undefined;
  let own: ProcessPart | undefined;
  let pages: Partial<Record<Encoding, Page | Promise<Page>>> = {};

  const renderSnapshot = (state: PageState, now: number): SnapshotPart => ({
    state,
    from: now,
    until: currentUntil(state.snapshot, now),
    part: render(families(state, build, state.reload, now, state), format).then((text) => partOf(text, 'first')),
  });

  const renderProcess = (now: number): ProcessPart => ({
    at: now,
    part: processMetrics.render(format).then((text) => partOf(text + endOf[format], 'last')),
  });

  return (state: PageState, now: number, encoding: Encoding): Page | Promise<Page> => {
    if (known === undefined || !stillTrue(known, state, now)) {
      known = renderSnapshot(state, now);
      pages = {};
    }
    if (own === undefined || now < own.at || now >= own.at + processMetricsLast) {
      own = renderProcess(now);
      pages = {};
    }
    const kept = pages;
    kept[encoding] ??= join(known.part, own.part, format, encoding).then((page) => {
      kept[encoding] = page;
      return page;
    });
    return kept[encoding];
  };
};

const stillTrue = ({ state, from, until }: SnapshotPart, asked: PageState, now: number): boolean =>
  state.snapshot === asked.snapshot &&
  state.verdicts === asked.verdicts &&
  state.reload === asked.reload &&
  state.evidence === asked.evidence &&
  state.podLabels === asked.podLabels &&
  from <= now &&
  now <= until;

const join = async (
  snapshotPart: Promise<Part>,
  processPart: Promise<Part>,
  format: Format,
  encoding: Encoding,
): Promise<Page> => {
  const [first, last] = await Promise.all([snapshotPart, processPart]);
  const body = encoding === 'gzip' ? await gzipOf(first, last) : Buffer.concat([first.plain, last.plain]);
  return {
    body,
    headers: {
      'Content-Type': contentTypes[format],
      Vary: 'Accept, Accept-Encoding',
      ...(encoding === 'gzip' && { 'Content-Encoding': 'gzip' }),
    },
  };
};
