// Where an export stands, in a file beside it: what lets it go on after any interruption, without loss and without doubles.

import { unlink } from 'node:fs/promises';
import * as z from 'zod/mini';
import { replaceFile, unlessMissing } from '../file-system.ts';
import { formatIn, withFormat } from '../format.ts';
import { uint64 } from '../protocol/container.ts';
import { indexNames } from '../protocol/paths.ts';
import { openRegular, readStart } from '../regular-file.ts';
import { parsedJson } from '../text.ts';

const version = 1;

const schema = z.object({
  /** Absent: of before there were versions. */
  version: z.optional(z.number()),
  index: z.enum(indexNames),
  first: uint64,
  /** Absent: up to the newest. */
  last: z.optional(uint64),
  gzip: z.boolean(),
  /** The first container that is not in the file. */
  next: uint64,
  /** Length of the file up to it: what lies beyond was torn. */
  bytes: z.int().check(z.nonnegative()),
  /** Of container next - 1: tells whether the node is still of the same network. Absent before the first one. */
  lastId: z.optional(z.string()),
  /** The last bytes of the file up to there, as hex: tells whether somebody has changed it since. Absent: of before they were kept. */
  tail: z.optional(z.string().check(z.regex(/^(?:[0-9a-f]{2}){0,32}$/))),
});

export type Checkpoint = Omit<Readonly<z.output<typeof schema>>, 'version'>;

export const checkpointFile = (file: string): string => `${file}.progress`;

/** No progress is longer. */
const maxBytes = 4096;

/** `unreadable`: somebody else's, or damaged. Throws where the file system does. */
export const readCheckpoint = async (file: string) => {
  const text = await readStart(checkpointFile(file), maxBytes).catch(unlessOther).catch(unlessMissing);
  if (text === undefined) return { kind: 'none' as const };
  const found = formatIn(text);
  if (found > version) return { kind: 'newer' as const, version: found, reads: version };
  const parsed = schema.safeParse(parsedJson(text));
  if (!parsed.success) return { kind: 'unreadable' as const };
  const { version: _, ...checkpoint } = parsed.data;
  return { kind: 'ok' as const, checkpoint };
};

/** Of a link, or of what is no file, nothing is read. */
const unlessOther = (error: unknown): string => {
  if (error instanceof Error && 'code' in error && error.code !== 'ELOOP') throw error;
  return '';
};

/** Of a file, what a checkpoint keeps. */
export const tailLength = 32;

/** Whether the file ends, up to where the checkpoint stands, as it did then. */
export const isUntouched = async (file: string, { bytes, tail = '' }: Checkpoint): Promise<boolean> => {
  const length = Math.min(tail.length / 2, bytes);
  const handle = await openRegular(file, 'refused');
  try {
    const { buffer } = await handle.read(Buffer.alloc(length), 0, length, bytes - length);
    return buffer.toString('hex') === tail;
  } finally {
    await handle.close();
  }
};

/** Whole or not at all, whenever the process is killed or the power fails. */
export const writeCheckpoint = async (file: string, checkpoint: Checkpoint): Promise<void> => {
  const target = checkpointFile(file);
  const digits = (_key: string, value: unknown): unknown => (typeof value === 'bigint' ? value.toString() : value);
  await replaceFile(target, `${JSON.stringify(withFormat(version, checkpoint), digits)}\n`, { sync: true });
};

export const removeCheckpoint = async (file: string): Promise<void> => {
  await unlink(checkpointFile(file)).catch(unlessMissing);
};
