// The page in one format, kept as bytes: what each target contributes until that stops being true, the process part for a second. A
// scrape joins what is kept. What is kept is replaced together, so bytes never join parts of different ages.

import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Target, Targets } from '../conditions/condition.ts';
import type { Sources } from '../sources/sources.ts';
import { type Blocks, blocksOf, type Contribution, contributionOf, isTrue } from './contribution.ts';
import { contentTypes, endOf, type Format, type ProcessMetrics } from './exposition.ts';
import { targetDefinitions } from './families.ts';
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

type Encoding = 'plain' | 'gzip';

export interface FormatPage {
  readonly at: (state: PageState, now: number, encoding: Encoding) => RenderedPage | Promise<RenderedPage>;
  /** False where nobody has scraped this format in the last ten minutes. */
  readonly prepare: (target: Target, now: number, wallOffset: number) => boolean;
}

/** Seconds for which the process part is kept. */
const processMetricsLast = 1;

/** Seconds after the last scrape for which contributions are rendered ahead of the next. */
const aheadFor = 600;

/** True from `from` to `until`, both inclusive. */
interface Part {
  readonly from: number;
  readonly until: number;
  readonly bytes: Promise<Uint8Array>;
}

export const createFormatPage = (format: Format, build: Build, processMetrics: ProcessMetrics, table: Sources): FormatPage => {
  const contributions = new Map<string, Contribution>();
  const order = targetDefinitions(table).map(({ name }) => name);
  let scrapedAt = Number.NEGATIVE_INFINITY;
  let known: { readonly state: PageState; readonly part: Part } | undefined;
  let own: Part | undefined;
  let pages: Partial<Record<Encoding, RenderedPage | Promise<RenderedPage>>> = {};

  const contributed = (target: Target, now: number, wallOffset: number): Contribution => {
    const { name } = target.state.options;
    const kept = contributions.get(name);
    if (kept !== undefined && isTrue(kept, target, now, wallOffset)) return kept;
    const made = contributionOf(table, target, format, now, wallOffset);
    contributions.set(name, made);
    return made;
  };

  const targetsPart = ({ targets, reload, wallOffset, ...kept }: PageState, now: number): Part => {
    for (const name of contributions.keys()) if (!targets.has(name)) contributions.delete(name);
    const all = Array.from(targets.values(), (target) => contributed(target, now, wallOffset));
    const ownBlocks = blocksOf(ownFamilies(build, reload, kept, wallOffset), format);
    const until = all.reduce((earliest, one) => Math.min(earliest, one.until), Number.POSITIVE_INFINITY);
    return {
      from: now,
      until,
      bytes: joinBlocks(
        order,
        all.map(({ blocks }) => blocks),
        ownBlocks,
      ),
    };
  };

  const processPart = (now: number): Part => ({
    from: now,
    until: now + processMetricsLast,
    bytes: processMetrics.render(format).then((text) => Buffer.from(text + endOf[format])),
  });

  return {
    at: (state, now, encoding) => {
      scrapedAt = now;
      if (known === undefined || !isSame(known.state, state) || !holds(known.part, now)) {
        known = { state, part: targetsPart(state, now) };
        pages = {};
      }
      if (own === undefined || !holds(own, now) || now === own.until) {
        own = processPart(now);
        pages = {};
      }
      const kept = pages;
      kept[encoding] ??= render([known.part, own], format, encoding).then((page) => {
        kept[encoding] = page;
        return page;
      });
      return kept[encoding];
    },
    prepare: (target, now, wallOffset) => {
      if (now - scrapedAt > aheadFor) return false;
      contributed(target, now, wallOffset);
      return true;
    },
  };
};

const holds = ({ from, until }: Part, now: number): boolean => from <= now && now <= until;

/** Each member is the same value. */
const isSame = (one: PageState, other: PageState): boolean =>
  Object.keys({ ...one, ...other }).every((name) => Reflect.get(one, name) === Reflect.get(other, name));

/** Family by family in the order of the page, each with the samples of all targets; then the exporter's own. */
const joinBlocks = async (
  order: readonly string[],
  ofTargets: readonly Promise<Blocks>[],
  ofExporter: Promise<Blocks>,
): Promise<Uint8Array> => {
  const targets = await Promise.all(ofTargets);
  const families = order.map((name) => targets.flatMap((blocks) => blocks.get(name) ?? []));
  const own = Array.from((await ofExporter).values(), (block) => [block]);
  return Buffer.concat(
    [...families, ...own].flatMap(([first, ...rest]) =>
      first === undefined ? [] : [first.head, first.samples, ...rest.map(({ samples }) => samples)],
    ),
  );
};

/** Compresses beside the event loop. */
const gzipped = promisify(gzip);

const render = async (parts: readonly Part[], format: Format, encoding: Encoding): Promise<RenderedPage> => {
  const plain = Buffer.concat(await Promise.all(parts.map(({ bytes }) => bytes)));
  return {
    body: encoding === 'gzip' ? await gzipped(plain) : plain,
    headers: {
      'Content-Type': contentTypes[format],
      Vary: 'Accept, Accept-Encoding',
      ...(encoding === 'gzip' && { 'Content-Encoding': 'gzip' }),
    },
  };
};
