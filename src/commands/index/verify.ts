// index verify: is an index whole and right?

import { Command } from 'commander';
import { describe } from '../../client/outcome.ts';
import type { IndexName } from '../../protocol/paths.ts';
import { isSound, type Verified, verify } from '../../walk/verify.ts';
import type { CommandContext } from '../context.ts';
import { exitCodes } from '../exit-codes.ts';
import { fromTo, type WalkOptions, wholeArgument } from './arguments.ts';
import { inSession, sayFailure } from './session.ts';
import { unasked } from './walk.ts';

interface Options extends WalkOptions {
  readonly ids: number;
  readonly numbers: number;
}

const maxPeriod = 2 ** 31;

export const verifyCommand = (context: CommandContext): Command =>
  fromTo(
    new Command('verify').description('verify an index: report gaps, duplicates, ordering and hash errors; exit code 1 for any'),
  )
    .option(
      '--ids <n>',
      'cross-check the index of the id of every n-th container; 1 for all, 0 for none',
      wholeArgument(0, maxPeriod),
      256,
    )
    .option(
      '--numbers <n>',
      'cross-check the container at every n-th index; 1 for all, 0 for none',
      wholeArgument(0, maxPeriod),
      0,
    )
    .action((url: string, path: IndexName, options: Options) =>
      inSession(context, { url, index: path, options, command: 'verify' }, async ({ asking, display }) => {
        const { from, to, concurrency, ids, numbers } = options;
        const verified = await verify({
          asking,
          first: from,
          ...(to !== undefined && { last: to }),
          concurrency,
          idEvery: ids,
          numberEvery: numbers,
          onProgress: display.show,
        });
        display.clear();
        context.stdout(options.output === 'json' ? jsonOf(path, verified) : textOf(path, verified));
        if (verified.failure !== undefined) return unasked(sayFailure(context, path, verified.failure));
        return isSound(verified) ? exitCodes.ok : exitCodes.no;
      }),
    );

const jsonOf = (index: IndexName, verified: Verified): string => {
  const { containers, crossChecked, first, end, counts, missing, findings, failure } = verified;
  const json = {
    index,
    sound: isSound(verified),
    from: `${first}`,
    end: `${end}`,
    containers,
    crossChecked,
    counts,
    missing: `${missing}`,
    findings: findings.map(({ kind, number, detail }) => ({ kind, number: `${number}`, detail })),
    ...(failure !== undefined && { failure: describe(failure) }),
  };
  return `${JSON.stringify(json)}\n`;
};

const textOf = (index: IndexName, verified: Verified): string => {
  const { containers, crossChecked, first, end, counts, missing, findings } = verified;
  const kinds = Object.entries(counts).filter(([, count]) => count > 0);
  const all = kinds.reduce((sum, [, count]) => sum + count, 0);
  const lines = findings.map(({ kind, number, detail }) => `${kind.padEnd(6)} ${number}: ${detail}`);
  if (all > findings.length) lines.push(`and ${all - findings.length} more`);
  const read =
    end > first ? `${containers} containers, numbers ${first} to ${end - 1n}, ${crossChecked} cross-checked` : whyNone(verified);
  const said = kinds.map(([kind, count]) => `${count} ${kind}${kind === 'gap' ? ` (${missing} missing)` : ''}`);
  const wrong = said.length === 0 ? 'nothing wrong' : said.join(', ');
  lines.push(`${index}: ${read}: ${verified.failure === undefined ? wrong : `${wrong} so far, and broken off`}`);
  return `${lines.join('\n')}\n`;
};

const whyNone = ({ size, first }: Verified): string => {
  if (size === 0n) return 'it is empty';
  return size === undefined || size > first ? 'no containers' : `it ends before ${first}`;
};
