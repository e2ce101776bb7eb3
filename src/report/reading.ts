// What one report means: a verdict in one sentence, every check worst first, and what the report does not say of itself.

import type { HealthReport } from '../protocol/health.ts';
import { type Circumstances, type Finding, findingsOf } from './finding.ts';
import { type Note, notesOf } from './notes.ts';
import { printable } from './printable.ts';

export interface Reading {
  readonly verdict: 'healthy' | 'unhealthy' | 'unknown';
  /** One line, fit for a terminal. */
  readonly because: string;
  /** Worst first. */
  readonly findings: readonly Finding[];
  readonly notes: readonly Note[];
}

export const readingOf = (report: HealthReport, circumstances: Circumstances): Reading => {
  const findings = findingsOf(report, circumstances);
  const notes = notesOf({ healthy: report.healthy, findings, ...circumstances });
  return { ...verdictOf(report, findings, notes, circumstances), findings, notes };
};

const verdictOf = (
  { healthy }: HealthReport,
  findings: readonly Finding[],
  notes: readonly Note[],
  { ageCounts }: Circumstances,
): Pick<Reading, 'verdict' | 'because'> => {
  const failing = findings.filter(({ state }) => state !== 'passing');
  if (failing.length > 0) return { verdict: 'unhealthy', because: failuresIn(failing, findings.length) };
  if (!healthy) return { verdict: 'unhealthy', because: 'the node says so, and names no check that fails' };
  const doubts = notes.filter(({ kind }) => kind === 'unknown-tag' || (ageCounts && kind === 'frozen'));
  if (doubts.length > 0) return { verdict: 'unknown', because: doubts.map(({ text }) => text).join('; ') };
  const frozen = notes.find(({ kind }) => kind === 'frozen');
  const passed =
    findings.length === 0 ? 'there are no checks' : `${counted(findings.length)} pass${findings.length === 1 ? 'es' : ''}`;
  return { verdict: 'healthy', because: frozen === undefined ? passed : `${passed}, but ${frozen.text}` };
};

const counted = (checks: number): string => `${checks} check${checks === 1 ? '' : 's'}`;

/** Checks that one line names. */
const named = 3;

const failuresIn = (failing: readonly Finding[], all: number): string => {
  const head = `${failing.length} of ${counted(all)} fail${failing.length === 1 ? 's' : ''}`;
  const more = failing.length > named ? `, and ${failing.length - named} more` : '';
  return `${head}: ${failing.slice(0, named).map(failureIn).join(', ')}${more}`;
};

const failureIn = ({ check, reason, error, state }: Finding): string => {
  const text = state === 'not-yet-run' || error === undefined ? '' : printable(error, 160);
  return `${printable(check, 64)} (${reason ?? 'other'}${text === '' ? '' : `: ${text}`})`;
};
