// Which version of its format a file of ours is of. A file begins with it, so that a part of it is enough to know, whatever stands behind;
// one that does not is of the time before there were versions. Spaces count for nothing: somebody may have sent it through jq. A version is
// raised whenever one that reads the last could not read it.

import { readStart } from './regular-file.ts';

const beginning = /^\s*\{\s*"version"\s*:\s*(\d{1,9})\s*[,}]/;
const beginningBytes = 32;

/** 0: of before there were versions, or none of ours. */
export const formatIn = (text: string): number => Number(beginning.exec(text)?.[1] ?? 0);

/** Of a file on disk; 0 also where there is none that can be read: what else stands there is replaced. */
export const formatOf = async (file: string): Promise<number> => formatIn(await readStart(file, beginningBytes).catch(() => ''));

/** What begins a file of it. */
export const withFormat = (version: number, json: object): object => ({ version, ...json });

/** `what`: in the plural. */
export const newerFormat = (what: string, version: number, reads: number): string =>
  `${what} of a newer snowgauge (format ${version}; this one reads up to ${reads}): not read and left as they are; run that version again, or remove the file to start over`;
