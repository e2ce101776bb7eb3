// index walk: the ids of an index, as they come.

import { Command, Option } from 'commander';
import type { IndexName } from '../../protocol/paths.ts';
import { walk } from '../../walk/walk.ts';
import type { CommandContext } from '../context.ts';
import { exitCodes, sayStopped } from '../exit-codes.ts';
import { fromTo, millisecondsArgument, type WalkOptions, withDefault } from './arguments.ts';
import { inSession, sayFailure } from './session.ts';

interface Options extends WalkOptions {
  readonly follow?: boolean;
  readonly interval: number;
  readonly oneByOne?: boolean;
}

export const walkCommand = (context: CommandContext): Command =>
  fromTo(new Command('walk').description('print the ids of all containers in order of acceptance'))
    .option('--follow', 'keep printing newly accepted containers until stopped')
    .addOption(
      withDefault(
        new Option('--interval <duration>', 'with --follow: interval between requests for new containers').argParser(
          millisecondsArgument,
        ),
        1000,
        '1s',
      ),
    )
    .option('--one-by-one', 'request one container at a time')
    .action((url: string, path: IndexName, options: Options) =>
      inSession(context, { url, index: path, options, command: 'walk' }, async ({ asking, display }) => {
        const { from, to, concurrency } = options;
        const steps = walk({
          asking,
          first: from,
          ...(to !== undefined && { last: to }),
          concurrency,
          strict: true,
          oneByOne: options.oneByOne ?? false,
          ...(options.follow === true && { followEvery: options.interval / 1000 }),
        });
        let isFirstHead = true;
        for await (const step of steps) {
          if (step.kind === 'failed') return unasked(sayFailure(context, path, step.failure));
          if (step.kind === 'head') {
            const isBeyond = isFirstHead && (from > step.size || (to !== undefined && to >= step.size));
            if (isBeyond) display.note(`${path} holds ${step.size} containers by now`);
            isFirstHead = false;
            continue;
          }
          let text = '';
          for (const { index, id, timestamp } of step.containers)
            text += options.output === 'json' ? `${JSON.stringify({ index: `${index}`, id, timestamp })}\n` : `${id}\n`;
          context.stdout(text);
          await context.stdoutReady?.();
        }
        return context.signal.aborted ? sayStopped(context) : exitCodes.ok;
      }),
    );

/** A walk that breaks off is not an answer of no. */
export const unasked = (code: number): number => (code === exitCodes.no ? exitCodes.unknown : code);
