// The log on stderr: JSON for machines, a short line for a person at a terminal.

import { pino } from 'pino';
import type { Log, LogSettings } from './log.ts';
import type { Paint } from './report/paint.ts';
import { printable } from './text.ts';

export interface LogOutput {
  readonly isTerminal: boolean;
  readonly paint: Paint;
  /** stderr, unless given; written at once, so that the last line before an end is not lost. */
  readonly destination?: { readonly write: (text: string) => void };
}

export const createLog = (
  { level, format }: LogSettings,
  { isTerminal, paint, destination = pino.destination({ dest: 2, sync: true }) }: LogOutput,
): Log => {
  const isPretty = format === 'pretty' || (format === 'auto' && isTerminal);
  return pino(
    { level, base: null, timestamp: pino.stdTimeFunctions.isoTime, formatters: { level: (label) => ({ level: label }) } },
    isPretty ? { write: (line: string) => destination.write(prettyLine(line, paint)) } : destination,
  );
};

/** Most characters of a message with its fields: the JSON has all of them. */
const maxCharacters = 1000;

/** `12:00:05 WARN  poll failed: connection refused  target=node`, from a line of JSON. */
const prettyLine = (line: string, paint: Paint): string => {
  const { time, level, msg, ...fields }: Readonly<Record<string, unknown>> = JSON.parse(line);
  const clock = new Date(String(time)).toTimeString().slice(0, 8);
  const paintWord = level === 'error' ? paint.bad : level === 'warn' ? paint.warn : String;
  const word = paintWord(String(level).toUpperCase().padEnd(5));
  const message = printable(String(msg), maxCharacters);
  const shownFields = Object.entries(fields).map(([name, value]) => `${name}=${shown(value)}`);
  const rest = shownFields.length === 0 ? '' : `  ${paint.faint(printable(shownFields.join(' '), maxCharacters))}`;
  return `${paint.faint(clock)} ${word} ${message}${rest}\n`;
};

const shown = (value: unknown): string => {
  if (Array.isArray(value)) return value.map(shown).join(',');
  if (typeof value === 'object' && value !== null)
    return Object.entries(value)
      .map(([name, one]) => `${name}:${shown(one)}`)
      .join(',');
  const text = String(value);
  return /[\s",=]/.test(text) || text === '' ? JSON.stringify(text) : text;
};
