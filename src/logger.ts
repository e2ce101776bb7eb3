// The log on stderr: JSON for machines, a short line for a person at a terminal.

import type { Writable } from 'node:stream';
import { pino } from 'pino';
import type { Log, LogSettings } from './log.ts';
import type { Paint } from './report/paint.ts';
import { printable, truncated } from './text.ts';

interface Destination {
  readonly write: (text: string) => void;
  /** Registers `tell`. It is called with the number of lost lines, before the next line is written or when there is room for it. */
  readonly onLost?: (tell: (lines: number) => void) => void;
}

export interface LogOutput {
  readonly isTerminal: boolean;
  readonly paint: Paint;
  /** stderr by default. It is written synchronously, so that the last line before the process ends is not lost. */
  readonly destination?: Destination;
}

export const createLog = (
  { level, format }: LogSettings,
  { isTerminal, paint, destination = destinationAt(2) }: LogOutput,
): Log => {
  const isPretty = format === 'pretty' || (format === 'auto' && isTerminal);
  const log = pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }), log: boundedFields },
      hooks: {
        logMethod([fields, message], write) {
          write.apply(this, [fields, truncated(String(message), limits.message)]);
        },
      },
    },
    isPretty ? { write: (line: string) => destination.write(prettyLine(line, paint)) } : destination,
  );
  destination.onLost?.((lines) => log.error({ lines }, 'log lines lost: stderr was not read'));
  return log;
};

/** Maximum size in bytes of the lines that wait until they can be written. */
const maxWaitingBytes = 2 ** 20;

/** `dest`: a file descriptor or path. A full disk does not end the process: lines wait, and above the limit they are dropped. */
export const destinationAt = (dest: number | string) => {
  const destination = pino.destination({ dest, sync: true, maxLength: maxWaitingBytes });
  destination.on('error', () => undefined);
  // Dropping a line does not retry the waiting ones: this empty write does, or they would wait forever.
  destination.on('drop', () => destination.write(''));
  return destination;
};

/**
 * Writes to a pipe without blocking. If nobody reads the pipe, lines wait, and above the limit they are dropped and counted. If the pipe is
 * read, lines are written at once.
 */
export const pipeTo = (pipe: Writable): Destination => {
  let lost = 0;
  let tell = (_lines: number): void => undefined;
  const hasRoom = (): boolean => pipe.writableLength < maxWaitingBytes;
  const tellLost = (): void => {
    if (lost === 0 || !hasRoom()) return;
    const lines = lost;
    lost = 0;
    tell(lines);
  };
  pipe.on('drain', tellLost);
  return {
    write: (line) => {
      tellLost();
      if (hasRoom()) pipe.write(line);
      else lost += 1;
    },
    onLost: (then) => {
      tell = then;
    },
  };
};

/**
 * Limits in characters, items and levels. So a line has at most about 16 KiB, whatever a node sends. A stack has 2 KiB, and so does a list
 * of checks.
 */
const limits = { message: 2000, text: 4000, fields: 10_000, items: 200, depth: 4 } as const;

/** The fields of a line, cut to the limits. */
const boundedFields = (fields: Record<string, unknown>): Record<string, unknown> => {
  let room: number = limits.fields;
  const bounded = (value: unknown, depth: number): unknown => {
    if (typeof value === 'string') {
      const text = truncated(value, Math.max(1, Math.min(limits.text, room)));
      room -= text.length;
      return text;
    }
    if (typeof value !== 'object' || value === null || value instanceof Error) return value;
    if (depth === limits.depth) return '…';
    const all = Object.entries(value).slice(0, limits.items);
    const kept: (readonly [string, unknown])[] = [];
    for (const [name, one] of all) {
      if (room <= 0) break;
      const short = truncated(name, limits.text);
      room -= short.length;
      kept.push([short, bounded(one, depth + 1)]);
    }
    if (Array.isArray(value)) {
      const left = value.length - kept.length;
      return [...kept.map(([, one]) => one), ...(left > 0 ? [`… ${left} more`] : [])];
    }
    return Object.fromEntries(kept);
  };
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [truncated(name, limits.text), bounded(value, 1)]));
};

/** Maximum characters of the message in the short form, and of all its fields. The JSON has more. */
const maxCharacters = 1000;

/** Fields that are only in the JSON, because the message has them, or because they are too detailed for a short line. */
const details = new Set([
  'check',
  'condition',
  'from',
  'to',
  'durationSeconds',
  'firstFailureAt',
  'lastRunAt',
  'contiguousFailures',
]);

/** Converts a line of JSON to a short line, such as `12:00:05Z WARN  poll failed: connection refused  target=node`. */
const prettyLine = (line: string, paint: Paint): string => {
  const { time, level, msg, ...fields }: Readonly<Record<string, unknown>> = JSON.parse(line);
  const clock = `${String(time).slice(11, 19)}Z`;
  const paintWord = level === 'error' ? paint.bad : level === 'warn' ? paint.warn : String;
  const word = paintWord(String(level).toUpperCase().padEnd(5));
  const message = printable(String(msg), maxCharacters);
  const shownFields = Object.entries(fields).flatMap(([name, value]) => (details.has(name) ? [] : `${name}=${shown(value)}`));
  const rest = shownFields.length === 0 ? '' : `  ${paint.faint(printable(shownFields.join(' '), maxCharacters))}`;
  return `${paint.faint(clock)} ${word} ${message}${rest}\n`;
};

const isNested = (value: unknown): value is object => typeof value === 'object' && value !== null;

const shown = (value: unknown): string => {
  if (Array.isArray(value)) return value.map(shown).join(',');
  if (isNested(value))
    return Object.entries(value)
      .map(([name, one]) => `${name}:${isNested(one) ? `{${shown(one)}}` : shown(one)}`)
      .join(',');
  const text = String(value);
  return /[\s",=]/.test(text) || text === '' ? JSON.stringify(text) : text;
};
