// Reads the event history of earlier runs in chunks, so that large files do not block the event loop, in a time that is linear in their
// size.

import type { Log } from '../log.ts';
import { openRegular } from '../regular-file.ts';
import { codeOf, printable } from '../text.ts';
import { recordOfLine } from './json.ts';
import type { TransitionRecord } from './record.ts';
import { fileBounds, type Segment, segmentsIn } from './segments.ts';

/** A record of a file; `size`: of its line. */
export interface ReadRecord {
  readonly record: TransitionRecord;
  readonly size: number;
}

/** Characters. No record is longer, because all of its parts have limits. */
const maxLineLength = 64 * 1024;

/** The newest records, oldest first: reads the newest files, until they have `enough` bytes. */
export async function* recordsIn(folder: string, enough: number, log: Log): AsyncGenerator<readonly ReadRecord[]> {
  // Ids, to skip duplicates: after a failed sync, lines are written again.
  const ids = new Set<string>();
  const isNew = ({ record: { id } }: ReadRecord): boolean => ids.size < ids.add(id).size;
  for (const { path } of await newestIn(folder, enough, log))
    for await (const records of recordsOf(path, log)) yield records.filter(isNew);
}

const newestIn = async (folder: string, enough: number, log: Log): Promise<readonly Segment[]> => {
  const chosen: Segment[] = [];
  let bytes = 0;
  for (const segment of [...(await segmentsIn(folder))].reverse()) {
    if (bytes >= enough || chosen.length >= fileBounds.files) break;
    if (segment.bytes > fileBounds.bytes) {
      log.warn({ file: segment.path, bytes: segment.bytes }, 'event history: skipped a file that is too large');
      continue;
    }
    chosen.push(segment);
    bytes += segment.bytes;
  }
  return chosen.reverse();
};

async function* recordsOf(file: string, log: Log): AsyncGenerator<readonly ReadRecord[]> {
  let [line, malformed, firstMalformed] = [0, 0, 0];
  const unknownKinds = new Map<string, number>();
  // A crash can only cut off the last line of a file: later runs append to other files.
  let isTorn = false;
  try {
    for await (const lines of linesOf(file)) {
      const records: ReadRecord[] = [];
      for (const text of lines) {
        line += 1;
        if (text === '') continue;
        const record = text.length > maxLineLength ? undefined : recordOfLine(text);
        isTorn = record === undefined;
        if (typeof record === 'string') {
          if (unknownKinds.size < 20 || unknownKinds.has(record)) unknownKinds.set(record, (unknownKinds.get(record) ?? 0) + 1);
        } else if (record !== undefined) records.push({ record, size: text.length });
        else {
          malformed += 1;
          firstMalformed ||= line;
        }
      }
      yield records;
    }
  } catch (error) {
    log.warn({ file, error: codeOf(error) }, 'event history: skipped a file that cannot be read');
    return;
  }
  const damaged = malformed - (isTorn ? 1 : 0);
  if (damaged > 0) log.warn({ file, records: damaged, line: firstMalformed }, 'event history damaged: skipped malformed records');
  if (unknownKinds.size > 0) {
    const counted = Object.fromEntries(Array.from(unknownKinds, ([kind, count]) => [printable(kind, 64), count]));
    log.warn(
      { file, kinds: counted },
      'event history of a newer snowgauge: skipped records of kinds that this one does not know',
    );
  }
  if (isTorn) log.info({ file }, 'event history: skipped an incomplete last record');
}

async function* linesOf(file: string): AsyncGenerator<readonly string[]> {
  let rest = '';
  const handle = await openRegular(file, 'refused');
  for await (const chunk of handle.createReadStream({ encoding: 'utf8', end: fileBounds.bytes - 1 })) {
    const lines = `${rest}${chunk}`.split('\n');
    // If a line is too long, keep only enough to detect it.
    rest = (lines.pop() ?? '').slice(0, maxLineLength + 1);
    yield lines;
  }
  yield [rest];
}
