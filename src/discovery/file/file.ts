// Discovers targets from files in the format of file_sd. If a file cannot be read, its last list is kept. If a file no longer matches a
// pattern, its targets are removed.

import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileFault } from '../../client/files.ts';
import type { FileConfig } from '../../config/discovery.ts';
import { type Folder, watchFolder } from '../../config/watch.ts';
import type { PartFault } from '../../failure-log.ts';
import { pause } from '../../pause.ts';
import { readWhole } from '../../regular-file.ts';
import { codeOf } from '../../text.ts';
import { type DiscoveredTarget, partsOf } from '../found.ts';
import { maxBytesOfAll, type RunSource, type SourceContext, shownReasons } from '../source.ts';
import { maxBytes } from '../target-groups.ts';
import { parseGroups, type ReadContext } from './groups.ts';
import { isFilePattern, matchesFilePattern } from './pattern.ts';

interface Known {
  /** Digest of the content that was last read; undefined if the file was not read. */
  readonly digest: string | undefined;
  readonly found: readonly DiscoveredTarget[];
  /** Size of the text that the targets were read from. */
  readonly bytes: number;
  /** Why the file could not be read; absent if it was read. */
  readonly fault?: string;
}

/** `part`: the file or the pattern. */
type Fault = Omit<PartFault, 'isRepeated'> & { readonly part: string };

interface FilePace {
  /** Milliseconds between two reads without an event of the file system. */
  readonly everyMs: number;
  /** Milliseconds for which a file must be unchanged, because editors truncate a file before they write it. */
  readonly settleMs: number;
}

/** Maximum number of files that are read for one pattern. */
const maxFiles = 1000;

export const runFiles: RunSource<FileConfig> = (config, context) => watchFiles(config, context, { everyMs: 5000, settleMs: 100 });

export const watchFiles = async (
  { files }: Pick<FileConfig, 'files'>,
  { update, log, signal, alone, inherited = [] }: Pick<SourceContext, 'update' | 'log' | 'signal' | 'alone' | 'inherited'>,
  { everyMs, settleMs }: FilePace,
): Promise<void> => {
  let wake = new AbortController();
  const heard = (): void => wake.abort();
  const instead = `its files every ${everyMs / 1000}s`;
  const folders = [...new Set(files.map(dirname))].map((path): Folder => watchFolder(path, heard, log, instead));
  signal.addEventListener('abort', heard, { once: true });

  let known = knownBefore(inherited);
  let list: { readonly found: readonly DiscoveredTarget[]; readonly bytes: number } = { found: inherited, bytes: 0 };
  let failedBefore: ReadonlySet<string> = new Set();
  while (!signal.aborted) {
    wake = new AbortController();
    for (const folder of folders) folder.renew();
    const { next, faults } = await observe(files, known, settleMs, { signal, alone });
    if (signal.aborted) break;
    const isSame = known.size === next.size && [...next].every(([file, one]) => known.get(file)?.found === one.found);
    const all = [
      ...faults,
      ...Array.from(next, ([part, { fault: reason }]) => (reason === undefined ? [] : { part, reason })).flat(),
    ];
    const reason = shownReasons(all.map((one) => one.reason));
    const read = isSame ? list : listOf([...next.values()]);
    // An unchanged list is reported, too: reading it was a success.
    const failed = all.map(({ part, ...one }) => ({ ...one, isRepeated: failedBefore.has(part) }));
    if (update(all.length === 0 ? { kind: 'ok', ...read } : { kind: 'failed', reason, faults: failed, ...read }))
      [known, list] = [next, read];
    failedBefore = new Set(all.map(({ part }) => part));
    await pause(everyMs / 1000, wake.signal);
    // However many events there are, read at most a few times per second.
    if (!signal.aborted) await pause(settleMs / 1000, signal);
  }
  for (const folder of folders) folder.close();
};

/** Targets from before a reload, by file. */
const knownBefore = (inherited: readonly DiscoveredTarget[]): ReadonlyMap<string, Known> =>
  new Map(Array.from(partsOf(inherited, '__meta_filepath'), ([file, found]) => [file, { digest: undefined, found, bytes: 0 }]));

const listOf = (files: readonly Known[]) => ({
  found: files.flatMap(({ found }) => found),
  bytes: files.reduce((sum, { bytes }) => sum + bytes, 0),
});

const observe = async (
  patterns: readonly string[],
  known: ReadonlyMap<string, Known>,
  settleMs: number,
  reading: ReadContext,
): Promise<{ readonly next: ReadonlyMap<string, Known>; readonly faults: readonly Fault[] }> => {
  const next = new Map<string, Known>();
  const faults: Fault[] = [];
  const files = new Set<string>();
  for (const pattern of patterns) {
    const all = await filesOf(pattern).catch((error: unknown) => {
      faults.push({ part: pattern, reason: `${dirname(pattern)}: ${codeOf(error)}` });
      return [...known.keys()].filter((file) => matchesFilePattern(pattern, file));
    });
    const reason = `${pattern} matches ${all.length} files, of which ${maxFiles} are read`;
    if (all.length > maxFiles) faults.push({ part: pattern, reason, cause: pattern });
    for (const file of all.slice(0, maxFiles)) files.add(file);
  }
  let bytesInAll = 0;
  const digests = new Map<string, string | undefined>();
  for (const file of files) {
    const read = await readOne(file);
    // The larger of both sizes counts: if the new content is not a valid list, the previous list is kept.
    bytesInAll += Math.max(read.kind === 'ok' ? read.bytes.length : 0, known.get(file)?.bytes ?? 0);
    if (bytesInAll > maxBytesOfAll) {
      const reason = `${patterns.join(', ')}: the files hold more than ${maxBytesOfAll} bytes together`;
      return { next: known, faults: [{ part: '', reason }] };
    }
    digests.set(file, read.kind === 'ok' ? read.digest : undefined);
  }
  const isNew = ([file, digest]: readonly [string, string | undefined]): boolean =>
    digest === undefined || known.get(file)?.digest !== digest;
  if ([...digests].some(isNew)) await pause(settleMs / 1000, reading.signal);
  for (const one of digests) {
    const [file, digest] = one;
    const before = known.get(file);
    next.set(file, before !== undefined && !isNew(one) ? before : await settledOf(file, digest, before, reading));
  }
  return { next, faults };
};

const filesOf = async (pattern: string): Promise<readonly string[]> => {
  if (!isFilePattern(pattern)) return [pattern];
  const folder = dirname(pattern);
  const all = (await readdir(folder)).map((name) => join(folder, name)).filter((file) => matchesFilePattern(pattern, file));
  return all.sort();
};

type FileRead =
  | { readonly kind: 'ok'; readonly bytes: Buffer; readonly digest: string }
  | { readonly kind: 'failed'; readonly reason: string };

const readOne = async (file: string): Promise<FileRead> => {
  try {
    const bytes = await readWhole(file, maxBytes);
    return { kind: 'ok', bytes, digest: createHash('sha256').update(bytes).digest('base64') };
  } catch (error) {
    return { kind: 'failed', reason: `cannot be read: ${fileFault(error)}` };
  }
};

/** Reads a new or changed file once more. `digest`: digest of its content before the pause. */
const settledOf = async (
  file: string,
  digest: string | undefined,
  before: Known | undefined,
  reading: ReadContext,
): Promise<Known> => {
  const failed = (digest: string | undefined, reason: string): Known => ({
    digest,
    found: before?.found ?? [],
    bytes: before?.bytes ?? 0,
    fault: `${file} ${reason}`,
  });
  const read = await readOne(file);
  if (read.kind === 'failed') return failed(undefined, read.reason);
  // The content has changed again, so the file is being written: the next read will find it complete.
  if (read.digest !== digest && before !== undefined) return before;
  const groups = await parseGroups(file, read.bytes, reading);
  return groups.kind === 'ok'
    ? { digest: read.digest, found: groups.found, bytes: read.bytes.length }
    : failed(read.digest, groups.reason);
};
