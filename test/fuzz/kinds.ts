// File format of each kind of case in the corpus, and how a case is shrunk.

import { type AnswerCase, answerCase } from './answer-cases.ts';
import { corpusOf, type Kind } from './corpus.ts';
import { type RawCase, rawCases } from './requests.ts';

/** Escapes non-ASCII, so that one character of a body stays one byte in any encoding of the file. */
const ascii = (value: unknown): string =>
  JSON.stringify(value).replace(/[\x7f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

export const answerKind: Kind<AnswerCase> = {
  ending: '.answers.json',
  write: (one) => `${ascii(one)}\n`,
  read: (text) => answerCase.parse(JSON.parse(text)),
  smaller: function* ({ polls, ...rest }) {
    for (const at of polls.keys()) if (polls.length > 1) yield { ...rest, polls: polls.toSpliced(at, 1) };
    for (const [at, { after, answers }] of polls.entries()) {
      for (const key of Object.keys(answers)) {
        const { [key]: _, ...others } = answers;
        yield { ...rest, polls: polls.with(at, { after, answers: others }) };
      }
    }
  },
};

export const requestKind: Kind<readonly RawCase[]> = {
  ending: '.requests.json',
  write: (all) => `${ascii(all)}\n`,
  read: (text) => rawCases.parse(JSON.parse(text)),
  smaller: function* (all) {
    for (const at of all.keys()) if (all.length > 1) yield all.toSpliced(at, 1);
  },
};

export const configurationKind: Kind<string> = {
  ending: '.yaml',
  write: (text) => text,
  read: (text) => text,
  smaller: function* (text) {
    const lines = text.split('\n');
    for (let size = lines.length >> 1; size >= 1; size >>= 1)
      for (let at = 0; at < lines.length; at += size) yield lines.toSpliced(at, size).join('\n');
  },
};

export const answerCorpus = corpusOf(answerKind);
export const requestCorpus = corpusOf(requestKind);
export const configurationCorpus = corpusOf(configurationKind);
