// `index verify`: checks whether an index is complete and correct.

import { Command } from 'commander';
import { describe } from '../../client/outcome.ts';
import type { IndexName } from '../../protocol/paths.ts';
import { counted, printableJson } from '../../text.ts';
import { isSound, type Verified, verify } from '../../walk/verify.ts';
import type { CommandContext } from '../context.ts';
import { exitCodes } from '../exit-codes.ts';
import { fromTo, type WalkFlags, wholeArgument } from './arguments.ts';
import { inSession, sayBrokenOff } from './session.ts';

interface Options extends WalkFlags {
  readonly ids: number;
  readonly numbers: number;
}

const period = wholeArgument(0, 2 ** 31);

export const verifyCommand = (context: CommandContext): Command =>
  fromTo(
    new Command('verify').description(
      'verify an index: report gaps, duplicates, ordering and hash errors; exit code 1 if there are any',
    ),
  )
    .option('--ids <n>', 'cross-check the index of the id of every n-th container; 1 for all, 0 for none', period, 256)
    .option('--numbers <n>', 'cross-check the container at every n-th index; 1 for all, 0 for none', period, 0)
    .action((url: string, index: IndexName, options: Options) =>
      inSession(context, { command: 'verify', url, index, options }, async ({ asking, display }) => {
        const { from: first, to: last, concurrency, ids: idEvery, numbers: numberEvery, output } = options;
        const onProgress = display.show;
        const verified = await verify({ asking, first, last, concurrency, idEvery, numberEvery, onProgress });
        display.clear();
        context.stdout(output === 'json' ? jsonOf(index, verified) : textOf(index, verified));
        if (verified.failure !== undefined) return sayBrokenOff(context, index, verified.failure);
        return isSound(verified) ? exitCodes.ok : exitCodes.no;
      }),
    );

const jsonOf = (index: IndexName, verified: Verified): string => {
  const { containers, crossChecked, first, end, counts, missing, findings, failure } = verified;
  return printableJson({
    index,
    sound: isSound(verified),
    from: `${first}`,
    end: `${end}`,
    containers,
    crossChecked,
    counts,
    missing: `${missing}`,
    findings: findings.map(({ kind, number, detail }) => ({ kind, number: `${number}`, detail })),
    failure: failure && describe(failure),
  });
};

const textOf = (index: IndexName, verified: Verified): string => {
  const { containers, crossChecked, first, end, counts, missing, findings, failure } = verified;
  const kinds = Object.entries(counts).filter(([, count]) => count > 0);
  const more = kinds.reduce((sum, [, count]) => sum + count, 0) - findings.length;
  const wrong = kinds.map(([kind, count]) => `${count} ${kind}${kind === 'gap' ? ` (${missing} missing)` : ''}`).join(', ');
  // If nothing was read, nothing was verified.
  const isVerified = failure === undefined || containers > 0;
  const outcome = [wrong || (isVerified && 'no errors found'), failure && 'incomplete'].filter(Boolean).join(', ');
  const read =
    end > first
      ? `${counted(containers, 'container')}, indexes ${first} to ${end - 1n}, ${crossChecked} cross-checked`
      : whyNone(verified);
  return [
    ...findings.map(({ kind, number, detail }) => `${kind.padEnd(6)} ${number}: ${detail}\n`),
    more > 0 ? `and ${more} more\n` : '',
    `${index}: ${read}: ${outcome}\n`,
  ].join('');
};

const whyNone = ({ size, first }: Verified): string => {
  if (size === 0n) return 'it is empty';
  return size === undefined || size > first ? 'no containers' : `it ends before ${first}`;
};
