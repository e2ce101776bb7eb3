// What a report does not say of itself, and who reads it should know.

import { primaryNetworkId } from '../protocol/id.ts';
import { span } from '../server/text.ts';
import type { Circumstances, Finding } from './finding.ts';
import { printable } from './printable.ts';

export interface Note {
  readonly kind:
    | 'unknown-tag'
    | 'frozen'
    | 'stale-check'
    | 'bootstrapping-elsewhere'
    | 'contradiction'
    | 'no-checks'
    | 'clock-skew';
  /** One line, fit for a terminal, without a full stop. */
  readonly text: string;
}

type Subject = Circumstances & { readonly healthy: boolean; readonly findings: readonly Finding[] };

export const notesOf = (subject: Subject): readonly Note[] => [
  ...unknownTags(subject),
  ...stale(subject),
  ...elsewhere(subject),
  ...contradiction(subject),
  ...skewed(subject),
];

const unknownTags = ({ unknownTags }: Subject): readonly Note[] =>
  unknownTags.map((tag) => ({
    kind: 'unknown-tag',
    text: `tag ${JSON.stringify(printable(tag, 64))} adds no check of its own, so the report says nothing of it: is it the id of a subnet that the node tracks, and has P bootstrapped?`,
  }));

type Ran = Finding & { readonly lastRunAt: number; readonly lastRunAge: number };

const hasRun = (finding: Finding): finding is Ran => finding.lastRunAt !== undefined && finding.lastRunAge !== undefined;

const stale = ({ findings, maxAge }: Subject): readonly Note[] => {
  const oldestFirst = findings.filter(hasRun).sort((a, b) => a.lastRunAt - b.lastRunAt);
  const [oldest] = oldestFirst;
  const late = oldestFirst.filter(({ lastRunAge }) => lastRunAge > maxAge);
  if (oldest === undefined || late.length === 0) return [];
  if (late.length === oldestFirst.length) {
    const since = span(oldestFirst.at(-1)?.lastRunAge ?? 0);
    const text = `no check has run for ${since}: the report is frozen; suspect ${printable(oldest.check, 64)}, which ran longest ago`;
    return [{ kind: 'frozen', text }];
  }
  return late.slice(0, 10).map(({ check, lastRunAge }) => ({
    kind: 'stale-check',
    text: `${printable(check, 64)} last ran ${span(lastRunAge)} ago, while others go on: it may hang`,
  }));
};

/** The check is every tag's: one broken subnet makes the report of each other unhealthy. */
const elsewhere = ({ tags, findings }: Subject): readonly Note[] => {
  const listed = findings.find(({ check, state }) => check === 'bootstrapped' && state === 'failing')?.lists;
  if (tags.length === 0 || listed === undefined) return [];
  const concerned = listed.some((subnet) => subnet === primaryNetworkId || tags.includes(subnet));
  return concerned
    ? []
    : [
        {
          kind: 'bootstrapping-elsewhere',
          text: 'bootstrapped fails for other subnets than those asked for: it stands in every report',
        },
      ];
};

const contradiction = ({ healthy, findings }: Subject): readonly Note[] => {
  if (findings.length === 0) return [{ kind: 'no-checks', text: 'the report has no checks' }];
  const failing = findings.filter(({ state }) => state !== 'passing').length;
  if (healthy === (failing === 0)) return [];
  const text = healthy ? 'the report says healthy, though checks fail' : 'the report says unhealthy, though no check fails';
  return [{ kind: 'contradiction', text }];
};

const skewed = ({ skew }: Subject): readonly Note[] =>
  skew === undefined
    ? []
    : [
        {
          kind: 'clock-skew',
          text: `the node's clock is ${span(Math.abs(skew))} ${skew < 0 ? 'behind' : 'ahead of'} ours: ages are corrected by it`,
        },
      ];
