// `index export`: exports an index to a file, and resumes interrupted exports.

import { Command } from 'commander';
import type { IndexName } from '../../protocol/paths.ts';
import { counted } from '../../text.ts';
import { type Exported, exportIndex, exportLines } from '../../walk/export.ts';
import type { CommandContext } from '../context.ts';
import { exitCodes } from '../exit-codes.ts';
import { fileArgument, fromTo, type WalkFlags } from './arguments.ts';
import { inSession, sayBrokenOff } from './session.ts';

export const exportCommand = (context: CommandContext): Command =>
  fromTo(
    new Command('export').description(
      'write all containers to a file, one JSON object per line; run again to resume after an interruption',
    ),
  )
    .argument(
      '<file>',
      'output file, compressed if it ends in .gz; FILE.progress exists until the export is complete; - for stdout',
      fileArgument,
    )
    .action((url: string, index: IndexName, file: string, options: WalkFlags) =>
      inSession(context, { command: 'export', url, index, options }, async ({ asking, display }) => {
        const { from: first, to: last, concurrency } = options;
        const wanted = { asking, first, last, concurrency, onProgress: display.show };
        const toStdout = { ...wanted, onProgress: context.isTerminal ? undefined : display.show };
        const exported =
          file === '-'
            ? await exportLines(toStdout, async (lines) => {
                context.stdout(lines);
                await context.stdoutReady?.();
              })
            : await exportIndex({ ...wanted, file, gzip: /\.gz$/i.test(file) });
        display.clear();
        return sayEnd(context, index, file, options, exported);
      }),
    );

/** Prints the result, and returns the exit code. */
const sayEnd = (
  context: CommandContext,
  index: IndexName,
  file: string,
  { from, to, output }: WalkFlags,
  exported: Exported,
): number => {
  const isStdout = file === '-';
  const name = isStdout ? 'stdout' : file;
  switch (exported.kind) {
    case 'done': {
      const { next, resumedAt } = exported;
      const text = `${name}: ${counted(Number(next - from), 'container')}${resumedAt === undefined ? '' : `, resumed at ${resumedAt}`}\n`;
      const json = { index, file, from: `${from}`, end: `${next}`, resumedAt: resumedAt?.toString() };
      const say = isStdout ? context.stderr : context.stdout;
      say(output === 'json' ? `${JSON.stringify(json)}\n` : text);
      if (to !== undefined && next <= to) context.stderr(`${index} ends before ${to}: no containers from ${next} on\n`);
      return exitCodes.ok;
    }
    case 'nothing': {
      const { size } = exported;
      const why = size === 0n ? 'is empty' : `ends before ${from}: it has ${counted(Number(size), 'container')}`;
      context.stderr(`${index} ${why}: nothing was written to ${name}\n`);
      return exitCodes.no;
    }
    case 'interrupted': {
      const { next, failure } = exported;
      const code = sayBrokenOff(context, index, failure);
      const rest = isStdout ? `--from ${next} resumes there` : 'run the same command to resume';
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
