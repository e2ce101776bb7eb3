// Known holes in the packages that are bundled, as npm knows them. Where npm cannot be asked nobody knows: a release ends, and a dry run
// says so.

import { execFile } from 'node:child_process';
import { root } from '../lib.mjs';
import { alone, without } from './step.mjs';

/**
 * Development dependencies are not checked, because they are not distributed.
 * @returns {Promise<{ kind: 'none' } | { kind: 'found', report: string } | { kind: 'unreachable', why: string }>}
 */
const ask = () =>
  new Promise((done) => {
    const args = ['audit', '--omit=dev', '--audit-level=moderate', '--json'];
    execFile(
      'npm',
      args,
      { cwd: root, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024, timeout: 120_000 },
      (error, stdout, stderr) => {
        const answer = parsed(stdout);
        if (answer?.vulnerabilities === undefined)
          done({ kind: 'unreachable', why: answer?.message ?? (stderr.trim() || String(error)) });
        else if (error === null) done({ kind: 'none' });
        else done({ kind: 'found', report: Object.values(answer.vulnerabilities).map(sentence).join('\n') });
      },
    );
  });

/** @param {string} text */
const parsed = (text) => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** @param {{ name: string, severity: string, via: readonly (string | { title?: string, url?: string })[] }} one */
const sentence = ({ name, severity, via }) => {
  const whys = via.map((why) => (typeof why === 'string' ? `by ${why}` : `${why.title} ${why.url ?? ''}`.trim()));
  return `${severity}: ${name}: ${whys.join(', ')}`;
};

/** @param {import('./step.mjs').Step} step */
export const audit = async (step) => {
  const answer = await ask();
  if (answer.kind === 'found') throw new Error(`npm knows holes in what is bundled:\n${answer.report}`);
  if (answer.kind === 'unreachable') {
    without(step, 'audit', `npm audit cannot be reached: ${answer.why}`);
    return;
  }
  console.error('release: npm audit: no known holes in what is bundled');
};

await alone(import.meta.url, audit);
