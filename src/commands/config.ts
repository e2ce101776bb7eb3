// `snowgauge config`: validates a configuration file, and documents its settings.

import { existsSync } from 'node:fs';
import { Command } from 'commander';
import { configJsonSchema } from '../config/json-schema.ts';
import { type Loaded, loadConfig } from '../config/load.ts';
import type { TargetOptions } from '../config/target.ts';
import { counted } from '../text.ts';
import { refuse } from './arguments.ts';
import type { CommandContext } from './context.ts';
import { parse } from './parse.ts';
import { readGiven } from './read-text.ts';

/** Loads the given file, or the one that `snowgauge run` would load. */
export const findConfig = (file: string | undefined, { env, signal }: Pick<CommandContext, 'env' | 'signal'>): Promise<Loaded> =>
  loadConfig({
    ...(file !== undefined && { file }),
    env,
    readFile: (found) => readGiven(found, signal),
    parse,
    fileExists: existsSync,
  });

const check = async (file: string, context: CommandContext): Promise<void> => {
  const loaded = await findConfig(file, context);
  if (loaded.kind === 'invalid') return refuse(context, loaded.source, loaded.errors);
  const { targets, discovery } = loaded.value;
  const sources = [discovery.file, discovery.http, discovery.dns, discovery.kubernetes].flat().length;
  const parts = [
    counted(targets.length, 'target'),
    counted(targets.flatMap(({ options }) => options.tagSets).length, 'tag set'),
    ...indexesText(targets.map(({ options }) => options.indexes)),
    ...(sources > 0 ? [counted(sources, 'discovery source')] : []),
  ];
  context.stdout(`${loaded.source}: ok, ${parts.join(', ')}\n`);
};

const indexesText = (indexes: readonly TargetOptions['indexes'][]): readonly string[] => {
  const listed = indexes.flatMap((one) => (one === 'auto' ? [] : one)).length;
  const auto = indexes.filter((one) => one === 'auto').length;
  return [
    ...(listed > 0 || auto === 0 ? [counted(listed, 'index', 'indexes')] : []),
    ...(auto > 0 ? [`indexes auto for ${counted(auto, 'target')}`] : []),
  ];
};

export const configCommand = (context: CommandContext): Command =>
  new Command('config')
    .addCommand(
      new Command('check')
        .description('print every error in a file; exit code 0 if valid, 2 if not; uses the same variables as run')
        .argument('<file>', 'the YAML file')
        .action((file: string) => check(file, context)),
    )
    .addCommand(
      new Command('schema')
        .description('print the JSON Schema (draft-07) of a configuration file')
        .action(() => context.stdout(`${JSON.stringify(configJsonSchema(), null, 2)}\n`)),
    );
