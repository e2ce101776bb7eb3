// Reads the maintenance window from the annotations of snowgauge's own pod. The kubelet keeps the annotations as files in the pod, so
// snowgauge needs no permission to request them from the API server.

import { basename, join } from 'node:path';
import type { Log } from '../log.ts';
import { parseInstant } from '../protocol/time.ts';
import { readStart } from '../regular-file.ts';
import { codeOf, printable } from '../text.ts';
import { longestReason, longestWindow, type MaintenanceWindow } from './window.ts';

/** Names of the files, and of the annotations after `snowgauge.io/`. */
const files = ['maintenance-until', 'maintenance-reason'] as const;

export interface AnnotationOptions {
  readonly folder: string;
  /** Wall clock, seconds. */
  readonly now: () => number;
  readonly log: Log;
  /** Called if the annotations have changed. `window`: the new window; undefined if there is none. */
  readonly changed: (window: MaintenanceWindow | undefined) => void;
}

interface Annotations {
  readonly until: string;
  readonly reason: string;
}

/**
 * Returns a function that reads the annotations once. New annotations are evaluated only when they are first read: the window starts then.
 */
export const annotationReader = ({ folder, now, log, changed }: AnnotationOptions): (() => Promise<void>) => {
  let seen = '\n';
  return async () => {
    const read = await readIn(folder);
    const text = 'fault' in read ? read.fault : `${read.until}\n${read.reason}`;
    if (text === seen) return;
    seen = text;
    const found = 'fault' in read ? read.fault : windowOf(read, now());
    if (typeof found === 'string')
      log.warn({ annotation: `snowgauge.io/${files[0]}` }, `maintenance annotation ignored: ${found}`);
    changed(typeof found === 'string' ? undefined : found);
  };
};

/** Returns the window; undefined if there is none or if it has ended; or a text that says what is wrong. */
const windowOf = ({ until, reason }: Annotations, at: number): MaintenanceWindow | string | undefined => {
  if (until === '') return undefined;
  const end = parseInstant(until);
  if (end === undefined) return `${JSON.stringify(printable(until, 64))} is not an instant: write it like 2026-11-20T12:00:00Z`;
  if (end - at > longestWindow) return `${until} is more than 24 h ahead: a window lasts at most 24 h`;
  if (end <= at) return undefined;
  return { start: at, end, reason: reason === '' ? 'no reason given' : printable(reason, longestReason), source: 'annotation' };
};

/** Maximum size of a file in bytes: more than the longest reason needs. */
const maxBytes = 4096;

const readIn = async (folder: string): Promise<Annotations | { readonly fault: string }> => {
  try {
    const [until, reason] = [await textOf(join(folder, files[0])), await textOf(join(folder, files[1]))];
    return { until, reason };
  } catch (error) {
    return { fault: `${folder}: ${codeOf(error)}` };
  }
};

/** The text of a file; empty if the file does not exist. Links are followed, because the kubelet writes links. */
const textOf = async (file: string): Promise<string> => {
  try {
    return (await readStart(file, maxBytes, 'followed')).trim();
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return '';
    throw new Error(`${basename(file)}: ${codeOf(error)}`);
  }
};
