// index export: an index into a file, gone on from wherever it was interrupted.

import { Command } from 'commander';
import type { IndexName } from '../../protocol/paths.ts';
import { type Exported, exportIndex, exportLines } from '../../walk/export.ts';
import type { CommandContext } from '../context.ts';
import { exitCodes } from '../exit-codes.ts';
import { fromTo, type WalkOptions } from './arguments.ts';
import { inSession, sayFailure } from './session.ts';
import { unasked } from './walk.ts';

const isStdout = (file: string): boolean => file === '-';

interface Wanted {
  readonly path: IndexName;
  readonly file: string;
  readonly options: WalkOptions;
}

export const exportCommand = (context: CommandContext): Command =>
  fromTo(
    new Command('export').description(
      'write all containers to a file, one JSON object per line; run again to resume after an interruption',
    ),
  )
    .argument(
      '<file>',
      'output file, compressed if it ends in .gz; FILE.progress exists until the export is complete; - for stdout',
    )
    .action((url: string, path: IndexName, file: string, options: WalkOptions) =>
      inSession(context, { url, index: path, options, command: 'export' }, async ({ asking, display }) => {
        const { from, to, concurrency } = options;
        const wanted = { asking, first: from, ...(to !== undefined && { last: to }), concurrency };
        const exported = isStdout(file)
          ? await exportLines({ ...wanted, ...(!context.isTerminal && { onProgress: display.show }) }, async (lines) => {
              context.stdout(lines);
              await context.stdoutReady?.();
            })
          : await exportIndex({ ...wanted, file, gzip: /\.gz$/i.test(file), onProgress: display.show });
        display.clear();
        return said(context, { path, file, options }, exported);
      }),
    );

const said = (context: CommandContext, { path, file, options }: Wanted, exported: Exported): number => {
  const { from, to, output } = options;
  const name = isStdout(file) ? 'stdout' : file;
  switch (exported.kind) {
    case 'done': {
      const { next, resumedAt } = exported;
      const resumed = resumedAt === undefined ? {} : { resumedAt: `${resumedAt}` };
      const text = `${name}: ${next - from} containers${resumedAt === undefined ? '' : `, resumed at ${resumedAt}`}\n`;
      const json = { index: path, file, from: `${from}`, end: `${next}`, ...resumed };
      const say = isStdout(file) ? context.stderr : context.stdout;
      say(output === 'json' ? `${JSON.stringify(json)}\n` : text);
      if (to !== undefined && next <= to) context.stderr(`${path} ends before ${to}: there was nothing from ${next} on\n`);
      return exitCodes.ok;
    }
    case 'nothing': {
      const { size } = exported;
      const why = size === 0n ? 'is empty' : `ends before ${from}: it has ${size} containers`;
      context.stderr(`${path} ${why}: nothing was written to ${name}\n`);
      return exitCodes.no;
    }
    case 'interrupted': {
      const { next, failure } = exported;
      const code = unasked(sayFailure(context, path, failure));
      const rest = isStdout(file) ? `--from ${next} resumes there` : 'run the same command to resume';
      const kept = next === from ? `nothing was written to ${name}` : `${name} holds the containers before ${next}: ${rest}`;
      if (code !== exitCodes.ok) context.stderr(`${kept}\n`);
      return code;
    }
    case 'refused':
      context.stderr(`snowgauge index export: ${exported.reason}\n`);
      return exitCodes.usage;
    case 'unwritable':
      context.stderr(`${file}: ${exported.reason}\n`);
      return exitCodes.unknown;
    default:
      return exported satisfies never;
  }
};
