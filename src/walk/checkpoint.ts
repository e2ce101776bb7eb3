// The progress of an export, in a file beside it: lets the export resume after any interruption, without lost or duplicate containers.

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
  /** Undefined in files from before there were versions. */
  version: z.optional(z.number()),
  index: z.enum(indexNames),
  first: uint64,
  /** Undefined: up to the newest container. */
  last: z.optional(uint64),
  gzip: z.boolean(),
  /** The first container that is not in the file. */
  next: uint64,
  /** Length of the file up to that container. Anything beyond is incomplete. */
  bytes: z.int().check(z.nonnegative()),
  /** ID of container next - 1: shows whether the node is still in the same network. Undefined before the first one. */
  lastId: z.optional(z.string()),
  /** The last bytes up to there, as hex: show whether the file was changed since. Undefined in files of older versions. */
  tail: z.optional(z.string().check(z.regex(/^(?:[0-9a-f]{2}){0,32}$/))),
});

export type Checkpoint = Omit<Readonly<z.output<typeof schema>>, 'version'>;

export const checkpointFile = (file: string): string => `${file}.progress`;

/** No progress file is longer. */
const maxBytes = 4096;

/** `unreadable`: damaged, or not written by an export. Throws errors of the file system. */
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

/** Does not read a symbolic link, or anything else that is not a regular file. */
const unlessOther = (error: unknown): string => {
  if (error instanceof Error && 'code' in error && error.code !== 'ELOOP') throw error;
  return '';
};

/** Bytes of the exported file that a checkpoint stores. */
export const tailLength = 32;

/** Whether the file still has the same last bytes at the position of the checkpoint. */
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

/** Atomic, even if the process is killed or the power fails. */
export const writeCheckpoint = async (file: string, checkpoint: Checkpoint): Promise<void> => {
  const target = checkpointFile(file);
  const digits = (_key: string, value: unknown): unknown => (typeof value === 'bigint' ? value.toString() : value);
  await replaceFile(target, `${JSON.stringify(withFormat(version, checkpoint), digits)}\n`, { sync: true });
};

export const removeCheckpoint = async (file: string): Promise<void> => {
  await unlink(checkpointFile(file)).catch(unlessMissing);
};
