// A record as a line of the log: its fields are the record's, its message is a sentence.

import type { Draft } from './record.ts';

export interface Line {
  readonly level: 'info' | 'warn';
  readonly message: string;
}

/** Without the error's text, which stands in a field of its own. `healthy`: the change of Healthy that came with one of Ready. */
export const lineOf = (record: Draft, healthy?: Draft): Line => ({
  level: isTrouble(record) || (healthy !== undefined && isTrouble(healthy)) ? 'warn' : 'info',
  message: `${sentenceOf(record)}${healthy === undefined ? '' : `, Healthy from ${healthy.from} to ${healthy.to}`}`,
});

const isTrouble = ({ kind, from, to, verdict }: Draft): boolean => {
  switch (kind) {
    case 'check':
    case 'check-back':
      return to === 'failing';
    case 'found-failing':
    case 'check-gone':
    case 'node-restarted':
    case 'node-id-changed':
    case 'health-frozen':
      return true;
    case 'health-running':
      return false;
    case 'verdict':
      return to === 'False' || ((verdict === 'Ready' || verdict === 'Healthy') && to === 'Unknown' && from === 'True');
    default:
      return kind satisfies never;
  }
};

export const sentenceOf = (record: Draft): string => {
  const { kind, check = '', to, unseen, because = '' } = record;
  switch (kind) {
    case 'check':
      if (unseen === true) return `check ${check} passed in between, which no report showed`;
      return to === 'failing' ? `check ${check} began to fail` : `check ${check} passes again`;
    case 'found-failing':
      return `check ${check} was failing when it was first seen`;
    case 'check-gone':
      return `check ${check} is gone from the report`;
    case 'check-back':
      return `check ${check} is in the report again`;
    case 'node-restarted':
      return `the node was restarted: ${because}`;
    case 'node-id-changed':
      return `the NodeID changed from ${record.from} to ${to}`;
    case 'health-frozen':
      return 'the checks of the node are frozen: what it reports is old';
    case 'health-running':
      return 'the checks of the node run again';
    case 'verdict':
      return verdictSentence(record);
    default:
      return kind satisfies never;
  }
};

const verdictSentence = ({ verdict = '', tagSets = [], from = '', to = '' }: Draft): string => {
  const of = tagSets.length === 0 ? '' : ` of tag set${tagSets.length > 1 ? 's' : ''} ${tagSets.join(', ')}`;
  return `condition ${verdict}${of} changed from ${from} to ${to}`;
};
