// The page of /metrics, kept as bytes: what each target contributes until that stops being true, the process part for a second.
// A scrape joins what is kept.

import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Target, Targets } from '../conditions/condition.ts';
import { type Sources, sources } from '../sources/sources.ts';
import { type Block, blocksOf, type Contribution, contributionOf, isTrue } from './contribution.ts';
import { contentTypes, createProcessMetrics, endOf, type Format, type ProcessMetrics } from './exposition.ts';
import { familiesOf, targetDefinitions } from './families.ts';
import { formatFor, gzipFor } from './negotiate.ts';
import { type Build, type Kept, ownFamilies, type Reload } from './own.ts';

/** What the page is rendered from. */
export interface PageState extends Kept {
  readonly targets: Targets;
  /** Another number whenever a target is another. */
  readonly version: number;
  readonly reload: Reload;
  /** Wall clock − steady clock. */
  readonly wallOffset: number;
}

export interface RenderedPage {
  /** Shared between replies: not to be written to. */
  readonly body: Uint8Array;
  /** Without Content-Length. */
  readonly headers: Readonly<Record<string, string>>;
}

export interface MetricsPage {
  /** `now` in seconds; the two headers as they came. A promise only when something has to be rendered first. */
  readonly at: (
    state: PageState,
    now: number,
    accept: string | undefined,
    acceptEncoding: string | undefined,
  ) => RenderedPage | Promise<RenderedPage>;
  /** Makes what a target contributes now, in the formats that somebody scrapes; throws where that is not possible. */
  readonly prepare: (target: Target, now: number, wallOffset: number) => void;
}

type Encoding = 'plain' | 'gzip';

/** Call it once: the process metrics' observers last as long as the process. */
export const createPage = (build: Build, table: Sources = sources): MetricsPage => {
  const processMetrics = createProcessMetrics();
  const formats = {
    text: pageOf('text', build, processMetrics, table),
    openmetrics: pageOf('openmetrics', build, processMetrics, table),
  };
  const negotiate = remembered((accept, acceptEncoding) => ({
    format: formatFor(accept),
    encoding: gzipFor(acceptEncoding) ? ('gzip' as const) : ('plain' as const),
  }));
  return {
    at: (state, now, accept, acceptEncoding) => {
      const { format, encoding } = negotiate(accept, acceptEncoding);
      return formats[format].at(state, now, encoding);
    },
    prepare: (target, now, wallOffset) => {
      const scraped = Object.values(formats).filter((one) => one.prepare(target, now, wallOffset));
      // A family that cannot be made is a fault in this target's answer: it must not wait for the scrape of all.
      if (scraped.length === 0) familiesOf(table, target, now, wallOffset);
    },
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

/** Seconds after the last scrape for which contributions are rendered ahead of the next. */
const aheadFor = 600;

interface TargetsPart {
  readonly state: PageState;
  readonly from: number;
  readonly until: number;
  readonly part: Promise<Uint8Array>;
}

interface ProcessPart {
  readonly at: number;
  readonly part: Promise<Uint8Array>;
}

/** The page in one format. What it keeps is replaced together, so bytes never join parts of different ages. */
const pageOf = (format: Format, build: Build, processMetrics: ProcessMetrics, table: Sources) => {
  const contributions = new Map<string, Contribution>();
  const order = targetDefinitions(table).map(({ name }) => name);
  let scrapedAt: number | undefined;
  let known: TargetsPart | undefined;
  let own: ProcessPart | undefined;
  let pages: Partial<Record<Encoding, RenderedPage | Promise<RenderedPage>>> = {};

  const contributed = (target: Target, now: number, wallOffset: number): Contribution => {
    const { name } = target.state.options;
    const kept = contributions.get(name);
    if (kept !== undefined && isTrue(kept, target, now, wallOffset)) return kept;
    const made = contributionOf(table, target, format, now, wallOffset);
    contributions.set(name, made);
    return made;
  };

  const joinTargets = (state: PageState, now: number): TargetsPart => {
    for (const name of contributions.keys()) if (!state.targets.has(name)) contributions.delete(name);
    const all = Array.from(state.targets.values(), (target) => contributed(target, now, state.wallOffset));
    const until = all.reduce((earliest, one) => Math.min(earliest, one.until), Number.POSITIVE_INFINITY);
    return { state, from: now, until, part: joined(all, ownBlocks(state)) };
  };

  const ownBlocks = ({ reload, wallOffset, ...kept }: PageState): Promise<ReadonlyMap<string, Block>> =>
    blocksOf(ownFamilies(build, reload, kept, wallOffset), format);

  const joined = async (all: readonly Contribution[], rest: Promise<ReadonlyMap<string, Block>>): Promise<Uint8Array> => {
    const blocks = await Promise.all(all.map((one) => one.blocks));
    const parts: Uint8Array[] = [];
    for (const name of order) {
      let head = true;
      for (const of of blocks) {
        const block = of.get(name);
        if (block === undefined) continue;
        if (head) parts.push(block.head);
        parts.push(block.samples);
        head = false;
      }
    }
    for (const { head, samples } of (await rest).values()) parts.push(head, samples);
    return Buffer.concat(parts);
  };

  const renderProcess = (now: number): ProcessPart => ({
    at: now,
    part: processMetrics.render(format).then((text) => Buffer.from(text + endOf[format])),
  });

  const at = (state: PageState, now: number, encoding: Encoding): RenderedPage | Promise<RenderedPage> => {
    scrapedAt = now;
    if (known === undefined || !stillTrue(known, state, now)) {
      known = joinTargets(state, now);
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
  /** False where nobody has scraped this format of late. */
  const prepare = (target: Target, now: number, wallOffset: number): boolean => {
    if (scrapedAt === undefined || now - scrapedAt > aheadFor) return false;
    contributed(target, now, wallOffset);
    return true;
  };
  return { at, prepare };
};

const stillTrue = ({ state, from, until }: TargetsPart, asked: PageState, now: number): boolean =>
  state.targets === asked.targets &&
  state.version === asked.version &&
  state.wallOffset === asked.wallOffset &&
  state.reload === asked.reload &&
  state.eventHistory === asked.eventHistory &&
  state.podLabels === asked.podLabels &&
  state.removedProbes === asked.removedProbes &&
  state.injectionOutdated === asked.injectionOutdated &&
  from <= now &&
  now <= until;

/** Compresses beside the event loop. */
const gzipped = promisify(gzip);

const join = async (
  targetsPart: Promise<Uint8Array>,
  processPart: Promise<Uint8Array>,
  format: Format,
  encoding: Encoding,
): Promise<RenderedPage> => {
  const plain = Buffer.concat(await Promise.all([targetsPart, processPart]));
  return {
    body: encoding === 'gzip' ? await gzipped(plain) : plain,
    headers: {
      'Content-Type': contentTypes[format],
      Vary: 'Accept, Accept-Encoding',
      ...(encoding === 'gzip' && { 'Content-Encoding': 'gzip' }),
    },
  };
};
