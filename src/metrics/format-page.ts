// The page in one format, kept as bytes for as long as nothing on it changes: what the targets contribute, and the process part for a
// second. What is kept is replaced together, so bytes never join parts of different ages.

import type { Targets } from '../conditions/condition.ts';
import type { Contribution } from './contribution.ts';
import type { Contributions } from './contributions.ts';
import { contentTypes, endOf, type ProcessMetrics } from './exposition.ts';
import { gzipped, type Joined, join, whole } from './join.ts';
import type { Chosen, Layout } from './layout.ts';
import { type Build, type Kept, ownFamilies, type ReloadStatus } from './own.ts';
import { createPack } from './pack.ts';
import { type Format, render } from './text.ts';

/** What the page is rendered from. */
export interface PageState extends Kept {
  readonly targets: Targets;
  /** Another number whenever a target is another. */
  readonly version: number;
  readonly reload: ReloadStatus;
  /** Wall clock − steady clock. */
  readonly wallOffset: number;
}

export interface RenderedPage {
  /** Shared between replies: not to be written to. */
  readonly body: Uint8Array | Joined;
  /** Without Content-Length. */
  readonly headers: Readonly<Record<string, string>>;
}

export type Encoding = 'plain' | 'gzip';

/** A part of the page: of these targets alone, or of the exporter alone; families of these names alone. */
export interface Selection {
  readonly of: 'all' | 'exporter' | readonly string[];
  readonly names?: ReadonlySet<string>;
}

export interface FormatPage {
  readonly at: (state: PageState, now: number, encoding: Encoding) => RenderedPage | Promise<RenderedPage>;
  /** Joined for this reply alone. */
  readonly part: (state: PageState, now: number, encoding: Encoding, selection: Selection) => Promise<RenderedPage>;
}

export interface PageParts {
  readonly build: Build;
  readonly layout: Layout;
  readonly chosen: Chosen;
  readonly contributions: Contributions;
  readonly processMetrics: ProcessMetrics;
}

/** Seconds for which the process part is kept. */
const processMetricsLast = 1;

/** A plain page above this size is joined while it is sent, and not kept: scrapers take gzip, which is much less. */
const maxKeptBytes = 4 * 1024 * 1024;

/** True until then, inclusive. */
interface Part<Bytes> {
  readonly until: number;
  readonly bytes: Bytes;
}

interface Parts {
  readonly ofTargets: readonly Contribution[];
  readonly ofAll: boolean;
  readonly rest: readonly Uint8Array[];
  readonly of?: Chosen;
}

/** What the kept pages say, and until when that is true, inclusive. Not what they were joined of: of a fleet that is as much again. */
interface Known {
  readonly state: PageState;
  readonly until: number;
}

export const createFormatPage = (format: Format, parts: PageParts): FormatPage => {
  const { build, layout, chosen, contributions, processMetrics } = parts;
  let known: Known | undefined;
  let ofProcess: Part<Promise<Uint8Array>> | undefined;
  let pages: Partial<Record<Encoding, RenderedPage>> = {};
  const underWay: { [E in Encoding]?: Promise<RenderedPage> | undefined } = {};

  const processPart = (now: number): Part<Promise<Uint8Array>> => {
    if (ofProcess === undefined || now >= ofProcess.until) {
      const bytes = processMetrics.render(format, chosen).then((text) => Buffer.from(text));
      ofProcess = { until: now + processMetricsLast, bytes };
      pages = {};
    }
    return ofProcess;
  };
  const ownPart = ({ targets: _, reload, wallOffset, ...kept }: PageState, of: Chosen): Uint8Array =>
    Buffer.from(
      render(
        ownFamilies(build, reload, kept, wallOffset).filter(({ definition: { name } }) => of(name)),
        format,
      ),
    );
  const end = Buffer.from(endOf[format]);
  const pack = createPack(layout, format, contributions.blocks);
  /** `ofAll`: what all targets contribute, and nothing less. */
  const bytesOf = async (encoding: Encoding, { ofTargets, ofAll, rest, of = chosen }: Parts): Promise<RenderedPage['body']> => {
    if (ofAll && encoding === 'gzip' && !contributions.blocks.isOne()) return pack(rest, of);
    const joined = join(layout, format, ofTargets, rest, of);
    if (encoding === 'gzip') return gzipped(joined);
    return joined.length > maxKeptBytes ? joined : whole(joined);
  };
  const rendered = async (encoding: Encoding, of: Parts): Promise<RenderedPage> => ({
    body: await bytesOf(encoding, of),
    headers: {
      'Content-Type': contentTypes[format],
      Vary: 'Accept, Accept-Encoding',
      ...(encoding === 'gzip' && { 'Content-Encoding': 'gzip' }),
    },
  });

  return {
    at: (state, now, encoding) => {
      if (known === undefined || !isSame(known.state, state) || now > known.until) {
        known = undefined;
        pages = {};
      }
      const process = processPart(now);
      const kept = pages;
      if (kept[encoding] !== undefined) return kept[encoding];
      // Who asks while one is made gets that one: it is made once, and its bytes are there once.
      underWay[encoding] ??= (async () => {
        const all = contributions.all(state.targets, now, state.wallOffset);
        // What has to be rendered first may be another by then.
        known = { state, until: Array.isArray(all) ? trueUntil(all) : now };
        const ofTargets = await all;
        const rest = [ownPart(state, chosen), await process.bytes, end];
        const page = await rendered(encoding, { ofTargets, ofAll: true, rest });
        if (page.body instanceof Uint8Array) kept[encoding] = page;
        underWay[encoding] = undefined;
        return page;
      })();
      return underWay[encoding];
    },
    part: async (state, now, encoding, { of, names }) => {
      const asked: Chosen = (name) => chosen(name) && names?.has(name) !== false;
      const ofTargets =
        of === 'all'
          ? await contributions.all(state.targets, now, state.wallOffset)
          : Array.from(of === 'exporter' ? [] : new Set(of)).flatMap((name) => {
              const target = state.targets.get(name);
              return target === undefined ? [] : contributions.of(target, now, state.wallOffset);
            });
      const isOwn = of === 'all' || of === 'exporter';
      const own = isOwn ? [ownPart(state, asked), Buffer.from(await processMetrics.render(format, asked))] : [];
      return rendered(encoding, { ofTargets, ofAll: of === 'all', rest: [...own, end], of: asked });
    },
  };
};

const trueUntil = (all: readonly Contribution[]): number =>
  all.reduce((earliest, { until }) => Math.min(earliest, until), Number.POSITIVE_INFINITY);

/** Each member is the same value. */
const isSame = (one: PageState, other: PageState): boolean =>
  Object.keys({ ...one, ...other }).every((name) => Reflect.get(one, name) === Reflect.get(other, name));
