// The page in one format, cached as bytes until something on it changes: a target, the exporter's own state, or after a second the
// metrics of the process. The cache is replaced as a whole, so a page never mixes parts of different ages.

import type { Targets } from '../conditions/condition.ts';
import type { Contribution } from './contribution.ts';
import type { Contributions } from './contributions.ts';
import { contentTypes, endOf, type ProcessMetrics } from './exposition.ts';
import { gzipped, type Joined, join, joinedBytes } from './join.ts';
import type { Chosen, Layout } from './layout.ts';
import { type Build, type Kept, ownFamilies, type ReloadStatus } from './own.ts';
import { createPack } from './pack.ts';
import { type Format, render } from './text.ts';

/** The state that a page is rendered from. */
export interface PageState extends Kept {
  readonly targets: Targets;
  /** Changes whenever a target changes. */
  readonly version: number;
  readonly reload: ReloadStatus;
  /** Wall clock − steady clock. */
  readonly wallOffset: number;
}

export interface RenderedPage {
  /** Shared between replies: must not be modified. */
  readonly body: Uint8Array | Joined;
  /** Without Content-Length. */
  readonly headers: Readonly<Record<string, string>>;
}

export type Encoding = 'plain' | 'gzip';

/** A part of the page: only these targets, or only the exporter; only families of these names. */
export interface Selection {
  readonly of: 'all' | 'exporter' | readonly string[];
  readonly names?: ReadonlySet<string>;
}

export interface FormatPage {
  readonly at: (state: PageState, now: number, encoding: Encoding) => RenderedPage | Promise<RenderedPage>;
  /** Not cached. */
  readonly part: (state: PageState, now: number, encoding: Encoding, selection: Selection) => Promise<RenderedPage>;
}

export interface PageParts {
  readonly build: Build;
  readonly layout: Layout;
  readonly chosen: Chosen;
  readonly contributions: Contributions;
  readonly processMetrics: ProcessMetrics;
}

/** Seconds for which the metrics of the process are cached. */
const processMetricsMaxAge = 1;

/** A plain page above this size is not cached, but joined while it is sent: scrapers accept gzip, which is much smaller. */
const maxCachedBytes = 4 * 1024 * 1024;

/** Bytes that are valid until then, inclusive. */
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

/** The state of the cached pages, and until when they are valid, inclusive. Not their parts, which would double the memory of a fleet. */
interface Known {
  readonly state: PageState;
  readonly until: number;
}

export const createFormatPage = (format: Format, parts: PageParts): FormatPage => {
  const { build, layout, chosen, contributions, processMetrics } = parts;
  let cached: Known | undefined;
  let ofProcess: Part<Promise<Uint8Array>> | undefined;
  let pages: Partial<Record<Encoding, RenderedPage>> = {};
  const pending: { [E in Encoding]?: Promise<RenderedPage> | undefined } = {};

  const processPart = (now: number): Part<Promise<Uint8Array>> => {
    if (ofProcess === undefined || now >= ofProcess.until) {
      const bytes = processMetrics.render(format, chosen).then((text) => Buffer.from(text));
      ofProcess = { until: now + processMetricsMaxAge, bytes };
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
  /** `ofAll`: `ofTargets` are the contributions of all targets. */
  const bytesOf = async (encoding: Encoding, { ofTargets, ofAll, rest, of = chosen }: Parts): Promise<RenderedPage['body']> => {
    if (ofAll && encoding === 'gzip' && !contributions.blocks.isOne()) return pack(rest, of);
    const joined = join(layout, format, ofTargets, rest, of);
    if (encoding === 'gzip') return gzipped(joined);
    return joined.length > maxCachedBytes ? joined : joinedBytes(joined);
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
      if (cached === undefined || !isSame(cached.state, state) || now > cached.until) {
        cached = undefined;
        pages = {};
      }
      const process = processPart(now);
      const kept = pages;
      if (kept[encoding] !== undefined) return kept[encoding];
      // Requests that arrive while the page is rendered share it: it is rendered once, and its bytes are in memory once.
      pending[encoding] ??= (async () => {
        const all = contributions.all(state.targets, now, state.wallOffset);
        // If some must be rendered first, they may change before the page is complete: then it is valid only now.
        cached = { state, until: Array.isArray(all) ? trueUntil(all) : now };
        const ofTargets = await all;
        const rest = [ownPart(state, chosen), await process.bytes, end];
        const page = await rendered(encoding, { ofTargets, ofAll: true, rest });
        if (page.body instanceof Uint8Array) kept[encoding] = page;
        pending[encoding] = undefined;
        return page;
      })();
      return pending[encoding];
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

/** All members are identical. */
const isSame = (one: PageState, other: PageState): boolean =>
  Object.keys({ ...one, ...other }).every((name) => Reflect.get(one, name) === Reflect.get(other, name));
