// The maintenance window that somebody writes on snowgauge's own pod. The kubelet keeps the annotations as files in the pod, so that it
// needs no right to ask the API server.

import { basename, join } from 'node:path';
import type { Log } from '../log.ts';
import { parseInstant } from '../protocol/time.ts';
import { readStart } from '../regular-file.ts';
import { codeOf, printable } from '../text.ts';
import { longestReason, longestWindow, type MaintenanceWindow } from './window.ts';

/** Names of the files, and what stands behind the slash of the annotations. */
const files = ['maintenance-until', 'maintenance-reason'] as const;

export interface AnnotationOptions {
  readonly folder: string;
  /** Wall clock, seconds. */
  readonly now: () => number;
  readonly log: Log;
  /** Another one is said than before; undefined: none. */
  readonly changed: (window: MaintenanceWindow | undefined) => void;
}

interface Annotations {
  readonly until: string;
  readonly reason: string;
}

/** Looks once. What the pod says is judged when it is first seen. */
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

/** The window, undefined where the pod names none or one that is over, or what is wrong with it. */
const windowOf = ({ until, reason }: Annotations, at: number): MaintenanceWindow | string | undefined => {
  if (until === '') return undefined;
  const end = parseInstant(until);
  if (end === undefined) return `${JSON.stringify(printable(until, 64))} is not an instant: write it like 2026-11-20T12:00:00Z`;
  if (end - at > longestWindow) return `${until} is more than 24 h ahead: a window lasts at most 24 h`;
  if (end <= at) return undefined;
  return { start: at, end, reason: reason === '' ? 'no reason given' : printable(reason, longestReason), source: 'annotation' };
};

/** More than the longest reason needs. */
const maxBytes = 4096;

const readIn = async (folder: string): Promise<Annotations | { readonly fault: string }> => {
  try {
    const [until, reason] = [await textOf(join(folder, files[0])), await textOf(join(folder, files[1]))];
    return { until, reason };
  } catch (error) {
    return { fault: `${folder}: ${codeOf(error)}` };
  }
};

/** Empty where there is no such file. The kubelet's are links. */
const textOf = async (file: string): Promise<string> => {
  try {
    return (await readStart(file, maxBytes, 'followed')).trim();
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return '';
    throw new Error(`${basename(file)}: ${codeOf(error)}`);
  }
};
