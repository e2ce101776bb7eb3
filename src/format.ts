// The format version of the exporter's own files. A file begins with its version, so that its first bytes are enough to read the version. A
// file without a version was written before versions were introduced. Whitespace is allowed, because the file may have been reformatted
// with jq. The version is increased if a program that reads the current format could not read the new one.

import { readStart } from './regular-file.ts';

const beginning = /^\s*\{\s*"version"\s*:\s*(\d{1,9})\s*[,}]/;
const beginningBytes = 32;

/** 0 if the file has no version, or is not one of the exporter. */
export const formatIn = (text: string): number => Number(beginning.exec(text)?.[1] ?? 0);

/** The version of a file on disk; 0 if it is missing or unreadable, because then it is replaced. */
export const formatOf = async (file: string): Promise<number> => formatIn(await readStart(file, beginningBytes).catch(() => ''));

/** Adds the version as the first member. */
export const withFormat = (version: number, json: object): object => ({ version, ...json });

/** The message for a file with a newer format. `what`: a plural noun. `reads`: the newest format that this program can read. */
export const newerFormat = (what: string, version: number, reads: number): string =>
  `${what} of a newer snowgauge (format ${version}; this one reads up to ${reads}): not read and left as they are; run that version again, or remove the file to start over`;
