// `index walk`: prints the container IDs of an index as they arrive.

import { Command } from 'commander';
import type { IndexName } from '../../protocol/paths.ts';
import { counted, printable, printableJson } from '../../text.ts';
import { walk } from '../../walk/walk.ts';
import type { ConfigError } from '../../yaml/parse.ts';
import { readDuration } from '../arguments.ts';
import type { CommandContext } from '../context.ts';
import { exitCodes, sayStopped } from '../exit-codes.ts';
import { fromTo, type WalkFlags } from './arguments.ts';
import { inSession, sayBrokenOff } from './session.ts';

interface Options extends WalkFlags {
  readonly follow?: boolean;
  readonly interval: string;
  readonly oneByOne?: boolean;
}

export const walkCommand = (context: CommandContext): Command =>
  fromTo(new Command('walk').description('print the ids of all containers in order of acceptance'))
    .option('--follow', 'keep printing newly accepted containers until stopped')
    .option('--interval <duration>', 'with --follow: interval between requests for new containers', '1s')
    .option('--one-by-one', 'request one container at a time')
    .action((url: string, index: IndexName, options: Options) => {
      const { from, to, concurrency, oneByOne, follow, output } = options;
      const errors: ConfigError[] = [];
      const interval = readDuration('--interval', options.interval, 0.001, 86_400, errors);
      return inSession(context, { command: 'walk', url, index, options, errors }, async ({ asking, display }) => {
        const followEvery = follow === true ? interval : undefined;
        const steps = walk({ asking, first: from, last: to, concurrency, strict: true, oneByOne, followEvery });
        let isFirstHead = true;
        /** One past the last printed number. Undefined once the user knows that the index does not reach it any more. */
        let next: bigint | undefined;
        for await (const step of steps) {
          if (step.kind === 'failed') return sayBrokenOff(context, index, step.failure);
          if (step.kind === 'head') {
            const isBeyond = isFirstHead && (from > step.size || (to !== undefined && to >= step.size));
            const size = counted(Number(step.size), 'container');
            if (isBeyond) display.note(`${index} has ${size}`);
            isFirstHead = false;
            if (next !== undefined && step.size < next) {
              display.note(`${index}: index is shorter than before: it has ${size}, waiting for container ${next}`);
              next = undefined;
            }
            continue;
          }
          next = step.end;
          const lines = step.containers.map(({ index: number, id, timestamp }) =>
            output === 'json' ? printableJson({ index: `${number}`, id, timestamp }) : `${printable(id)}\n`,
          );
          context.stdout(lines.join(''));
          await context.stdoutReady?.();
        }
        return context.signal.aborted ? sayStopped(context) : exitCodes.ok;
      });
    });
