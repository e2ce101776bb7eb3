// index export: an index into a file, gone on from wherever it was interrupted.

import { Command } from 'commander';
import type { IndexName } from '../../protocol/paths.ts';
import { type Exported, exportIndex } from '../../walk/export.ts';
import type { CommandContext } from '../context.ts';
import { fromTo, type WalkOptions } from './arguments.ts';
import { exitCodes, inSession, sayFailure } from './session.ts';
import { unasked } from './walk.ts';

interface Wanted {
  readonly path: IndexName;
  readonly file: string;
  readonly options: WalkOptions;
}

export const exportCommand = (context: CommandContext): Command =>
  fromTo(
    new Command('export').description(
      'write all containers to a file, one JSON object a line; the same command goes on after an interruption',
    ),
  )
    .argument('<file>', 'compressed where its name ends in .gz; FILE.progress stands beside it until it is whole')
    .action((url: string, path: IndexName, file: string, options: WalkOptions) =>
      inSession(context, { url, index: path, options, verb: 'exporting' }, async ({ asking, display }) => {
        const { from, to, concurrency } = options;
        const exported = await exportIndex({
          asking,
          first: from,
          ...(to !== undefined && { last: to }),
          concurrency,
          file,
          gzip: file.endsWith('.gz'),
          onProgress: display.show,
        });
        display.clear();
        return said(context, { path, file, options }, exported);
      }),
    );

const said = (context: CommandContext, { path, file, options }: Wanted, exported: Exported): number => {
  switch (exported.kind) {
    case 'done': {
      const { next, resumedAt } = exported;
      const { from, to, output } = options;
      const resumed = resumedAt === undefined ? {} : { resumedAt: `${resumedAt}` };
      const text = `${file}: ${next - from} containers${resumedAt === undefined ? '' : `, gone on from ${resumedAt}`}\n`;
      const json = { index: path, file, from: `${from}`, end: `${next}`, ...resumed };
      context.stdout(output === 'json' ? `${JSON.stringify(json)}\n` : text);
      if (to !== undefined && next <= to) context.stderr(`${path} ends before ${to}: there was nothing from ${next} on\n`);
      return exitCodes.ok;
    }
    case 'interrupted': {
      const code = unasked(sayFailure(context, path, exported.failure));
      context.stderr(`${file} holds what comes before ${exported.next}: the same command goes on from there\n`);
      return code;
    }
    case 'refused':
      context.stderr(`${exported.reason}\n`);
      return exitCodes.usage;
    case 'unwritable':
      context.stderr(`${file}: ${exported.reason}\n`);
      return exitCodes.unasked;
    default:
      return exported satisfies never;
  }
};
