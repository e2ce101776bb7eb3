// Reads small files with secrets, and reads them again when they change or are replaced.

import { statSync } from 'node:fs';
import { readWholeSync } from '../regular-file.ts';
import { codeOf } from '../text.ts';

export type FileRead =
  | { readonly kind: 'ok'; readonly text: string }
  /** What is wrong with the file; never contains any of its content. */
  | { readonly kind: 'unreadable'; readonly reason: string };

/** Credentials, certificates and CA bundles are smaller. */
const maxBytes = 4 * 1024 * 1024;

const unreadable = (reason: string): FileRead => ({ kind: 'unreadable', reason });

const words: ReadonlyMap<string, string> = new Map([
  ['ENOENT', 'there is no such file'],
  ['EACCES', 'permission denied'],
  ['EISDIR', 'it is a directory'],
]);

/** Why a file cannot be read, for a message to a person. */
export const fileFault = (error: unknown): string => words.get(codeOf(error)) ?? codeOf(error);

/** Identifies the content without reading it. A mounted Secret is replaced by a rename, so its inode changes. */
const versionOf = (file: string): { readonly version: string } | FileRead => {
  try {
    // Synchronous, because a call takes only microseconds on a local or in-memory file system.
    const stat = statSync(file, { bigint: true });
    if (!stat.isFile()) return unreadable('is not a file');
    if (stat.size > maxBytes) return unreadable(`is larger than ${maxBytes} bytes`);
    return { version: `${stat.dev} ${stat.ino} ${stat.size} ${stat.mtimeNs} ${stat.ctimeNs}` };
  } catch (error) {
    return unreadable(fileFault(error));
  }
};

/** The whole file as UTF-8. */
export const readFile = (file: string): FileRead => {
  const found = versionOf(file);
  if ('kind' in found) return found;
  try {
    return { kind: 'ok', text: readWholeSync(file, maxBytes).toString() };
  } catch (error) {
    return unreadable(fileFault(error));
  }
};

/** Returns a reader that gives the same value until the file is changed or replaced. */
export const fileReader = (): ((file: string) => FileRead) => {
  const known = new Map<string, { readonly version: string; readonly read: FileRead }>();
  return (file) => {
    const found = versionOf(file);
    if ('kind' in found) return found;
    const before = known.get(file);
    if (before?.version === found.version) return before.read;
    const read = readFile(file);
    if (read.kind === 'ok') known.set(file, { version: found.version, read });
    return read;
  };
};
