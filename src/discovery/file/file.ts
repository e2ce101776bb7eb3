// Lists in files, in the format of file_sd. A file that cannot be read has the list that it had; one that is gone from a pattern has
// none.

import { readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { FileConfig } from '../../config/discovery.ts';
import { type Folder, watchFolder } from '../../config/watch.ts';
import { pause } from '../../pause.ts';
import { readWhole } from '../../regular-file.ts';
import { codeOf } from '../../text.ts';
import { readYaml } from '../../yaml/read.ts';
import type { Found, RunSource } from '../source.ts';
import { type GroupsRead, maxBytes, readGroups, readJson } from '../target-groups.ts';

interface Known {
  readonly text: string | undefined;
  readonly found: readonly Found[];
  /** Why it could not be read. */
  readonly fault?: string;
}

export interface Pace {
  /** Between two looks that no event asks for. */
  readonly everyMs: number;
  /** A file must hold the same for so long: an editor empties it before it writes. */
  readonly settleMs: number;
}

/** Of one pattern, and read at once: each is waited for until it has settled. */
const maxFiles = 1000;
const atOnce = 50;

export const runFiles: RunSource<FileConfig> = (config, context) => watchFiles(config, context, { everyMs: 5000, settleMs: 100 });

export const watchFiles = async (
  { files }: Pick<FileConfig, 'files'>,
  { update, log, signal }: Pick<Parameters<RunSource<FileConfig>>[1], 'update' | 'log' | 'signal'>,
  { everyMs, settleMs }: Pace,
): Promise<void> => {
  let wake = new AbortController();
  const heard = (): void => wake.abort();
  const instead = `its files every ${everyMs / 1000}s`;
  const folders = [...new Set(files.map(dirname))].map((path): Folder => watchFolder(path, heard, log, instead));
  signal.addEventListener('abort', heard, { once: true });

  let known: ReadonlyMap<string, Known> = new Map();
  let told: string | undefined;
  while (!signal.aborted) {
    wake = new AbortController();
    for (const folder of folders) folder.renew();
    const { next, faults } = await look(files, known, settleMs, signal);
    if (signal.aborted) break;
    const isSame = known.size === next.size && [...next].every(([file, one]) => known.get(file)?.found === one.found);
    const reason = [...faults, ...Array.from(next.values(), ({ fault }) => fault ?? []).flat()].slice(0, 10).join('; ');
    if (!isSame || reason !== told) {
      const found = [...next.values()].flatMap((one) => one.found);
      update(reason === '' ? { kind: 'ok', found } : { kind: 'failed', reason, found });
    }
    [known, told] = [next, reason];
    await pause(everyMs / 1000, wake.signal);
    // Of however many events, some looks a second.
    if (!signal.aborted) await pause(settleMs / 1000, signal);
  }
  for (const folder of folders) folder.close();
};

const look = async (
  patterns: readonly string[],
  known: ReadonlyMap<string, Known>,
  settleMs: number,
  signal: AbortSignal,
): Promise<{ readonly next: ReadonlyMap<string, Known>; readonly faults: readonly string[] }> => {
  const next = new Map<string, Known>();
  const faults: string[] = [];
  for (const pattern of patterns) {
    const all = await filesOf(pattern).catch((error: unknown) => {
      faults.push(`${dirname(pattern)}: ${codeOf(error)}`);
      return [...known.keys()].filter((file) => matches(pattern, file));
    });
    if (all.length > maxFiles) faults.push(`${pattern} matches ${all.length} files, of which ${maxFiles} are read`);
    const found = all.slice(0, maxFiles).filter((file) => !next.has(file));
    for (let from = 0; from < found.length; from += atOnce) {
      const some = found
        .slice(from, from + atOnce)
        .map(async (file) => [file, await readOne(file, known.get(file), settleMs, signal)] as const);
      for (const [file, one] of await Promise.all(some)) next.set(file, one);
    }
  }
  return { next, faults };
};

const isPattern = (path: string): boolean => basename(path).includes('*');

const matches = (pattern: string, file: string): boolean => {
  const parts = basename(pattern)
    .split('*')
    .map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'));
  return dirname(pattern) === dirname(file) && new RegExp(`^${parts.join('[^/]*')}$`).test(basename(file));
};

const filesOf = async (pattern: string): Promise<readonly string[]> => {
  if (!isPattern(pattern)) return [pattern];
  const folder = dirname(pattern);
  const all = (await readdir(folder)).map((name) => join(folder, name)).filter((file) => matches(pattern, file));
  return all.sort();
};

const readOne = async (file: string, before: Known | undefined, settleMs: number, signal: AbortSignal): Promise<Known> => {
  const failed = (text: string | undefined, reason: string): Known => ({
    text,
    found: before?.found ?? [],
    fault: `${file} ${reason}`,
  });
  try {
    let text = await textOf(file);
    if (before?.text === text) return before;
    await pause(settleMs / 1000, signal);
    const settled = await textOf(file);
    // It is being written: the next look finds it whole.
    if (settled !== text && before !== undefined) return before;
    text = settled;
    const read = await groupsOf(file, text);
    return read.kind === 'ok' ? { text, found: read.found } : failed(text, read.reason);
  } catch (error) {
    return failed(undefined, `cannot be read: ${codeOf(error)}`);
  }
};

const groupsOf = async (file: string, text: string): Promise<GroupsRead> => {
  if (text.trim() === '') return { kind: 'invalid', reason: 'is empty: write [] for no targets' };
  const meta = new Map([['__meta_filepath', file]]);
  if (file.endsWith('.json')) {
    const json = readJson(text);
    return json.kind === 'ok' ? readGroups(json.value, meta) : json;
  }
  const { value, errors } = await readYaml(text, undefined);
  const [error] = errors;
  return error === undefined
    ? readGroups(value, meta)
    : { kind: 'invalid', reason: `${error.line === undefined ? '' : `line ${error.line}: `}${error.message}` };
};

const textOf = async (file: string): Promise<string> => (await readWhole(file, maxBytes)).toString();
